import { rejudge, type Planned, type RunInput } from '../../pipeline/index.js';
import type { Filler } from '../../summarizers/index.js';
import type { Log, Trigger } from '../../transcript/index.js';
import { asksPlugins } from '../hooks/session-plugins.js';
import { asJson, bodyOf, placeOf, PREPARED, type PreparedText, type SavedPlan } from './prepared-plan.js';
import { hasSlots, type Filling } from '../planner.js';
import { inSlices } from '../slices.js';
import type { Pieces } from '../wiring.js';

/** A compaction whose text was requested before it was due. Valid for the same ledger head while the log only grows. */
interface ReadyPlan {
  readonly outcome: Planned;
  readonly bought: Filling['bought'];
  readonly log: Log;
}

/**
 * Prepares the next compaction between turns: above the pressure `fill.prepareAt` it plans like a run, and requests the
 * text in the background. The run that is due later uses the result. The result is discarded if the ledger changed.
 */
export class EarlyFill {
  #running: Promise<void> | undefined;
  #ready: ReadyPlan | undefined;
  /** A plan that another process has prepared, or is preparing. */
  #saved: SavedPlan | undefined;

  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'background'
      | 'engine'
      | 'gauge'
      | 'key'
      | 'opened'
      | 'options'
      | 'persistence'
      | 'planner'
      | 'plugins'
      | 'policies'
      | 'settings'
      | 'summarizer'
      | 'thread'
    >,
  ) {
    this.#saved = pieces.opened?.prepared;
  }

  /** The preparation in progress; undefined if there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts a preparation if it is worth it. Never throws, and does not block the caller. */
  start(): void {
    const { gauge, policies, planner, thread } = this.pieces;
    const { arrivals, projection } = thread;
    const policy = policies.current;
    const [filler, prepareAt] = [this.#filler, this.pieces.settings.fill.prepareAt];
    if (!filler || prepareAt === null || this.#running || arrivals) return;
    if (this.usablePlan() || gauge.read(projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    this.#run(async () => {
      await inSlices(thread.reader.catchUpInSteps());
      const input = { ...planner.input(trigger), policy, forced: true, asksModel: true };
      const outcome = await planner.draft(input);
      if (outcome.kind !== 'planned' || !hasSlots(outcome)) return undefined;
      return this.#prepare(input, outcome, filler);
    });
  }

  /** Continues a loaded plan if it still fits the ledger. Called before a due run, when the whole log is read. */
  resumeSaved(): void {
    const saved = this.#saved;
    const { planner, thread } = this.pieces;
    const filler = this.#filler;
    const { arrivals, ledger } = thread;
    if (!saved || !filler || this.#running || arrivals) return;
    this.#saved = undefined;
    if (saved.entries !== ledger.version || saved.plan.base !== ledger.head) return;
    const { plan } = saved;
    const input = { ...planner.input(plan.trigger), forced: true };
    try {
      const outcome = rejudge(input, plan, plan.edits);
      if (hasSlots(outcome)) this.#run(() => this.#prepare(input, outcome, filler));
    } catch {
      // Pins or settings have changed, so the run makes its own plan.
    }
  }

  /** The prepared plan that can be committed on the present ledger, with its view; undefined if there is none. */
  usablePlan(): Omit<ReadyPlan, 'log'> | undefined {
    const ready = this.#ready;
    const { log, ledger, projection } = this.pieces.thread;
    if (!ready || ready.log !== log || ready.outcome.plan.base !== ledger.head) return undefined;
    const draft = projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }

  /** Undefined if plugins are asked before runs: they can only be asked when a compaction is due. */
  get #filler(): Filler | undefined {
    const { plugins, policies, summarizer } = this.pieces;
    return asksPlugins(plugins, policies.current) ? undefined : summarizer.filler;
  }

  #run(prepare: () => Promise<Filling | undefined>): void {
    const { log } = this.pieces.thread;
    this.#running = prepare()
      .then((filling) => {
        this.#ready = filling && { ...filling, log };
        if (!this.usablePlan()) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  /** Returns undefined if the engine was closed or the ledger changed meanwhile. */
  async #prepare(input: RunInput, outcome: Planned, filler: Filler): Promise<Filling | undefined> {
    const { key, engine, options, settings, thread, audit, background, gauge, planner } = this.pieces;
    const [{ store }, { persistence }] = [background, this.pieces];
    this.#saved = undefined;
    // Lines of this session alone, or from a function, would change the request, and the text would be paid for again.
    const isOwn = options.summaryLines !== undefined || typeof engine.summaryLines === 'function';
    // Stored at once, because the session may not be used again.
    const note = (): Promise<void> => persistence.record([]).catch(() => undefined);
    const buy = (signal?: AbortSignal): Promise<Filling> =>
      planner.fill(input, outcome, filler, signal).finally(note);
    if (!persistence.journal || !store || isOwn) {
      const filled = await background.runLocally(buy);
      return background.isStopped ? undefined : filled;
    }
    const body = bodyOf(input, outcome, {
      ...key,
      model: gauge.model,
      version: filler.version,
      entries: thread.ledger.version,
    });
    let sharedText: PreparedText | undefined;
    try {
      await persistence.whenStored([]);
      const saved: SavedPlan = { entries: body.entries, plan: outcome.plan };
      await store.setValue(PREPARED, placeOf(body), asJson(saved));
      sharedText = await background.runShared(body, settings.fill.deadlineMs);
      // The process that requested the text noted its costs in the store only.
      if (sharedText) await persistence.catchUp();
    } catch (error) {
      if (!background.isStopped) audit.add('prepared-alone', undefined, { reason: (error as Error).message });
    }
    const isCurrent = thread.log === input.source.log && thread.ledger.head === outcome.plan.base;
    if (background.isStopped || !isCurrent) return undefined;
    // Finds the text that other processes stored, and requests the rest now.
    const filled = await buy();
    const calls = [...(sharedText?.calls ?? []), ...filled.bought.calls];
    return { ...filled, bought: { ...filled.bought, calls } };
  }
}
