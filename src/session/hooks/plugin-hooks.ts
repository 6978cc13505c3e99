import { readDelegated, type Delegated, type Policy, type RunInput } from '../../pipeline/index.js';
import { readAnswer, type LoadedPlugin, type ReadAnswer } from '../plugins/index.js';
import type { PreCompact } from '../../spi/index.js';
import type { Reading } from '../../tokens/index.js';
import type { HookRun } from '../../transcript/index.js';
import type { Pieces } from '../wiring.js';
import { postCompactEvent, preCompactEvent, type ViewBefore, type CompactionResult } from './events.js';
import { HookCalls } from './hook-calls.js';
import { InstructionSources } from './instructions.js';
import { asksPlugins, onlyPrunes } from './session-plugins.js';

/** The answers of plugins to a run before it is planned. */
export interface HookAnswers {
  /** The run, adjusted to the answers. */
  readonly input: RunInput;
  /** The plugin that skips the run, and its reason. */
  readonly skip?: { readonly by: string; readonly why: string };
  readonly lines: readonly HookRun[];
  /** The failures of a compactor and what followed, in order; empty if there were none. */
  readonly chain: readonly string[];
}

/** The hooks of plugins around the compactions of one session. */
export class PluginHooks {
  readonly #calls: HookCalls;
  readonly #sources?: InstructionSources;

  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'agent'
      | 'audit'
      | 'clock'
      | 'costs'
      | 'count'
      | 'gauge'
      | 'key'
      | 'plugins'
      | 'settings'
      | 'stream'
      | 'summarizer'
      | 'thread'
      | 'timer'
    >,
  ) {
    this.#calls = new HookCalls(pieces);
    const { instructions } = pieces.plugins;
    const { preCompactMs } = pieces.settings.pluginLimits;
    if (instructions.length > 0)
      this.#sources = new InstructionSources(instructions, preCompactMs, pieces.count, pieces.timer);
  }

  /** Whether plugins are asked before a run of this policy. */
  asks(policy: Policy): boolean {
    return asksPlugins(this.pieces.plugins, policy);
  }

  /** The present view, for the event after a run; undefined if no plugin receives that event. */
  get viewBefore(): ViewBefore | undefined {
    if (this.#notified.length === 0) return undefined;
    const { projection } = this.pieces.thread;
    return { view: projection.view, tokens: this.pieces.gauge.read(projection).tokens };
  }

  /**
   * Asks all observers at once, and then the compactor if the policy has one. `dryRun`: a plan that an operator only
   * looks at. Never rejects.
   */
  async before(run: RunInput, dryRun: boolean): Promise<HookAnswers> {
    const reading = this.pieces.gauge.read(run.projection);
    const event = preCompactEvent(this.pieces, run, reading, dryRun);
    const asked = await this.#withSources(await this.#askObservers(run, event, reading), reading);
    if (asked.skip !== undefined || !run.policy.delegates) return asked;
    const { compactor } = this.pieces.plugins;
    if (!compactor) return asked;
    const { input } = asked;
    // In the list for the compactor, messages that observers retain are marked as held.
    const compactorEvent = input === run ? event : preCompactEvent(this.pieces, input, reading, dryRun);
    const { line, value } = await this.#askCompactor(compactor, input, compactorEvent);
    const lines = [...asked.lines, line];
    if (value) return { ...asked, lines, input: { ...input, delegated: value } };
    const what = `${line.plugin} ${line.hook} ${line.message ?? line.outcome}`;
    return {
      ...asked,
      lines,
      chain: [what, 'the oldest is dropped instead'],
      input: { ...input, policy: dropping(input.policy) },
    };
  }

  /** Tells all observers at once the result of a compaction. Never rejects. */
  async after(before: ViewBefore, result: CompactionResult): Promise<void> {
    const event = postCompactEvent(this.pieces, this.pieces.thread, before, result);
    const ms = this.pieces.settings.pluginLimits.postCompactMs;
    await Promise.all(
      this.#notified.map((plugin) =>
        this.#calls.call({
          plugin,
          hook: 'post_compact',
          ms,
          run: (api) => plugin.observer!.postCompact!(event, api),
          read: () => undefined,
        }),
      ),
    );
  }

  /** Records a failed compactor in one audit event, with everything that it led to. */
  recordFailedCompactor({ chain, lines }: HookAnswers, end: string, ref: string | undefined): void {
    if (chain.length === 0) return;
    const line = lines.find(({ hook }) => hook === 'compact')!;
    this.pieces.audit.add('plugin-failed', ref, { ...line, chain: [...chain, end] });
  }

  get #notified(): readonly LoadedPlugin[] {
    return this.#observers.filter(({ observer }) => observer?.postCompact);
  }

  get #observers(): readonly LoadedPlugin[] {
    return this.pieces.plugins.host.plugins.filter(({ observer }) => observer);
  }

  async #askObservers(run: RunInput, event: PreCompact, reading: Reading): Promise<HookAnswers> {
    const asked = onlyPrunes(run.policy)
      ? []
      : this.#observers.filter(({ observer }) => observer?.preCompact);
    const called = await Promise.all(
      asked.map((plugin) =>
        this.#calls.call<ReadAnswer>({
          plugin,
          hook: 'pre_compact',
          ms: this.pieces.settings.pluginLimits.preCompactMs,
          run: (api) => plugin.observer!.preCompact!(event, api),
          read: (answer) => checkedAnswer(readAnswer(answer), event, run, reading, this.pieces.count),
          messageOf: wordsFor,
        }),
      ),
    );
    const lines = called.map(({ line }) => line);
    const answers = called.flatMap(({ value, line }) => (value ? [{ ...value, plugin: line.plugin }] : []));
    const skips = answers.find(({ skip }) => skip !== undefined);
    const common = { lines, chain: [] };
    if (skips && mayBeSkipped(run, reading))
      return { ...common, input: run, skip: { by: skips.plugin, why: skips.skip! } };
    if (skips)
      this.warn(
        `${skips.plugin} asked to skip a compaction without which the request would not fit; it was not.`,
      );
    const retained = new Set(answers.flatMap(({ retain }) => retain));
    const injected = answers.flatMap(({ plugin, inject }) => (inject ? [{ plugin, texts: inject }] : []));
    if (retained.size === 0 && injected.length === 0) return { ...common, input: run };
    const held = run.projection.view.filter(({ message }) => retained.has(message.id));
    const holds = [...run.source.holds, ...held.map(({ from, to }) => ({ from, to }))];
    const source = { ...run.source, holds };
    return { ...common, input: { ...run, source, injected } };
  }

  /** Adds instructions, which are read anew, unless the run is skipped. */
  async #withSources(asked: HookAnswers, reading: Reading): Promise<HookAnswers> {
    if (!this.#sources || asked.skip) return asked;
    const { input, lines } = asked;
    const { injected, line, faults } = await this.#sources.putBack(input, reading);
    if (faults.length > 0) this.warn(`Instructions were not read anew: ${faults.join('; ')}.`);
    return {
      ...asked,
      lines: [...lines, line],
      input: { ...input, injected: [...(input.injected ?? []), injected] },
    };
  }

  #askCompactor(plugin: LoadedPlugin, input: RunInput, event: PreCompact) {
    return this.#calls.call<Delegated>({
      plugin,
      hook: 'compact',
      ms: this.pieces.settings.pluginLimits.compactMs,
      run: (api) => plugin.compactor!.compact(event, api),
      read: (result) => {
        const judged = readDelegated(plugin.name, result, input);
        if ('fault' in judged) throw new TypeError(judged.fault);
        return judged.delegated;
      },
    });
  }

  /** Warns that a run did not follow a plugin's request. */
  warn(message: string): void {
    this.pieces.stream.emit({ kind: 'warning', code: 'plugin-not-heeded', message });
  }
}

/** A compaction may only be skipped if the request fits without it. */
const mayBeSkipped = ({ refused }: RunInput, { pressure }: Reading): boolean => pressure <= 1 && !refused;

/** The `drop` strategy, in place of a failed compactor. */
const dropping = (policy: Policy): Policy => ({ ...policy, delegates: false, dropsToTarget: true });

function wordsFor({ skip, retain, inject = [] }: ReadAnswer): string | undefined {
  const said = [
    ...(skip === undefined ? [] : [`skip: ${skip}`]),
    ...(retain.length > 0 ? [`retains ${retain.length}`] : []),
    ...(inject.length > 0 ? [`injects ${inject.length}`] : []),
  ];
  return said.length > 0 ? said.join('; ') : undefined;
}

/** Most text that one plugin may have carried: as a share of the budget, and in tokens. */
const CARRIED_SHARE = 0.08;
const MAX_CARRIED = 4_000;

/** Throws `TypeError` if an answer asks for more than is possible. */
function checkedAnswer(
  answer: ReadAnswer,
  event: PreCompact,
  { policy }: RunInput,
  { budget, scale }: Reading,
  count: (text: string) => number,
): ReadAnswer {
  const byId = new Map(event.messages.map((message) => [message.id, message]));
  const counted = (tokens: number): number => Math.floor(tokens / scale);
  let retained = 0;
  for (const id of new Set(answer.retain)) {
    const message = byId.get(id);
    if (!message) throw new TypeError(`retains ${id}, which is no message in view`);
    retained += message.tokens;
  }
  const mostRetained = counted(policy.shares.pins * budget.tokens);
  if (retained > mostRetained)
    throw new TypeError(`retains ${retained} tokens; at most ${mostRetained}, the share of pins`);
  const injected = (answer.inject ?? []).reduce((sum, text) => sum + count(text), 0);
  const mostInjected = Math.min(MAX_CARRIED, counted(CARRIED_SHARE * budget.tokens));
  if (injected > mostInjected) throw new TypeError(`injects ${injected} tokens; at most ${mostInjected}`);
  return answer;
}
