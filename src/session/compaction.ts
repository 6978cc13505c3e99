import { floorOf, type Policy } from '../pipeline/index.js';
import type { Reading } from '../tokens/index.js';
import type { Steps, Trigger } from '../transcript/index.js';
import { onlyPrunes } from './hooks/session-plugins.js';
import { staleOutcome, type FilledRun } from './planner.js';
import { inTime, LATE } from './plugins/index.js';
import type { RunOptions, Tuning } from './policies.js';
import { belowThreshold, noRun, pendingReport, type RunReport } from './prepared.js';
import { Run } from './run.js';
import type { Pieces } from './wiring.js';
import { inSlices, runInSlices, whenReady } from './slices.js';
import { strategiesOf } from './run-events.js';

/** Synchronous if no text has to be requested from a summarizer. */
export type RunResponse = RunReport | Promise<RunReport>;

/** Plans runs, requests their text, and commits them: the only place where a session's view gets smaller. */
export class Compaction {
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'commits'
      | 'early'
      | 'gauge'
      | 'hooks'
      | 'planner'
      | 'plugins'
      | 'policies'
      | 'settings'
      | 'stream'
      | 'summarizer'
      | 'thread'
      | 'timer'
      | 'triggers'
    >,
  ) {}

  /**
   * The work of a session before a call: passes that need no gate, then a run if one is due. `onRead` is called between
   * the two, when pressure is read. `moved`: the log position after which the content that hooks add has changed.
   */
  beforeCall(onRead: () => void, moved?: number, signal?: AbortSignal): RunResponse {
    const { thread, policies, stream, commits, triggers } = this.pieces;
    const policy = policies.current;
    const { pending } = thread.ledger;
    if (pending) return pendingReport(pending.plan);
    if (moved !== undefined) commits.stripMoved(moved);
    commits.stripMovedByRecall();
    return whenReady(this.#inSlices(this.#beforeGates(policy)), () => {
      const inputs = triggers.gateInputs;
      onRead();
      const { reading } = inputs;
      const response = stream.fireIfDue(inputs, (due) => this.#runDue(due, reading, signal));
      return response ?? noRun(reading.pressure < (policy.gates[0]?.opensAt ?? Infinity));
    });
  }

  *#beforeGates(policy: Policy): Steps<void> {
    const { commits, stream, triggers } = this.pieces;
    yield* this.#makeAnswerRoom({ kind: 'pressure', detail: 'before a call' });
    yield* commits.passes(policy, stream.wouldFire(triggers.gateInputs), triggers.isPassDue);
  }

  #runDue(trigger: Trigger, reading: Reading, signal: AbortSignal | undefined): RunResponse {
    const { memory } = this.pieces.thread;
    const policy = this.pieces.policies.current;
    const overflow = trigger.kind === 'overflow' || memory.queued !== undefined;
    return this.#run(trigger, {
      // An overflowed request was full even if its reading is lower: the target is a share of that reading.
      target: overflow ? policy.target * Math.min(1, reading.pressure) : policy.target,
      forced: overflow,
      refused: memory.overflowed,
      signal,
    });
  }

  /** If the floor does not fit next to the room for the answer, that room is reduced, and the provider decides. */
  *#makeAnswerRoom(trigger: Trigger): Steps<void> {
    const { gauge, stream, thread, planner } = this.pieces;
    const { pressure, scale, budget } = gauge.read(thread.projection);
    if (pressure <= 1) return;
    const { total } = yield* floorOf(planner.input(trigger));
    const floor = Math.ceil(scale * total);
    if (gauge.forgetIfDoubted(floor)) return yield* this.#makeAnswerRoom(trigger);
    const left = gauge.makeRoomFor(floor);
    if (left === undefined) return;
    const message = `The content that may never be removed takes ${floor} of ${budget.window} tokens: for the answer ${left} are kept, not ${budget.window - budget.usable}. Ask for a smaller answer (\`max_tokens\`, \`maxOutputTokens\`), send fewer tools, or use a larger window; a provider that counts both may refuse the request.`;
    stream.emit({ kind: 'warning', code: 'answer-gives-way', message });
  }

  /** Makes one run now, at any pressure. */
  async run(trigger: Trigger, how: RunOptions): Promise<RunReport> {
    await this.#inSlices(this.#makeAnswerRoom(trigger));
    return this.#run(trigger, how);
  }

  /** Plans a run, commits it if it is worth it, and tells the plugins. Waits for text that is already requested. */
  async #run(trigger: Trigger, how: RunOptions): Promise<RunReport> {
    const { early, hooks, policies, settings, summarizer } = this.pieces;
    const { signal } = how;
    const before = hooks.viewBefore;
    const isPressure = trigger.kind === 'pressure';
    const waitsForText = settings.fill.wait || !(isPressure || trigger.kind === 'cap');
    if (isPressure) early.resumeSaved();
    // A plan prepared in the background may itself wait for other sessions. The deadline for text limits this wait.
    let isLate = false;
    for (; isPressure && waitsForText && early.running && !signal?.aborted && !isLate; early.resumeSaved()) {
      const { running } = early;
      isLate = (await inTime(settings.fill.deadlineMs, () => untilAborted(running, signal))) === LATE;
    }
    const tuned: Tuning = how.tuning ?? { policy: policies.current, filler: summarizer.filler };
    const filler = waitsForText && !isLate ? tuned.filler : undefined;
    const report = await this.#holdingArrivals(() => this.#execute(trigger, how, { ...tuned, filler }));
    if (before && hasEnded(report) && !isUpkeep(tuned.policy, report)) await hooks.after(before, report);
    return report;
  }

  async #execute(trigger: Trigger, how: RunOptions, { policy, filler, budget }: Tuning): Promise<RunReport> {
    const { thread, gauge, timer, commits, hooks, planner } = this.pieces;
    const { threshold = 0, signal } = how;
    const started = timer();
    const reading = gauge.scale(budget)(thread.projection);
    if (reading.pressure < threshold) return belowThreshold(threshold);
    const needsApproval = how.waits ?? (policy.waits === true && trigger.kind !== 'manual');
    const run = new Run(this.pieces, { trigger, reading, policy, needsApproval, started });
    await inSlices(commits.passes(policy, trigger, ({ when }) => when === 'compaction'));
    const isReady = trigger.kind === 'pressure' && !hooks.asks(policy);
    const ready = isReady ? this.#readyPlan(policy) : undefined;
    if (ready) return run.finish(ready);
    // A refused request was full, even if its reading is lower.
    const full = Math.min(1, reading.pressure);
    const input = {
      ...planner.input(trigger, budget),
      policy: { ...policy, target: how.target, ...(how.refused && { minGain: policy.minGain * full }) },
      forced: how.forced,
      ...(how.refused && { refused: true }),
      ...(filler && { asksModel: true }),
    };
    const [{ log }, { head }] = [thread, thread.ledger];
    const isCurrent = (): boolean => thread.ledger.head === head && thread.log === log;
    // Checked directly before the commit, because any asynchronous step in between could roll the log back.
    return whenReady(planner.plan(input, { filler, signal, run, isCurrent }), (filled) =>
      run.finish(isCurrent() ? filled : { ...filled, outcome: staleOutcome(filled.outcome) }),
    );
  }

  #inSlices<T>(steps: Steps<T>): T | Promise<T> {
    const done = runInSlices(steps);
    return done instanceof Promise ? this.#holdingArrivals(() => done) : done;
  }

  /** The plan that was prepared between turns, if it brings pressure below the first gate. */
  #readyPlan({ gates }: Policy): FilledRun | undefined {
    const ready = this.pieces.early.usablePlan();
    if (!ready) return undefined;
    const after = this.pieces.gauge.read(ready.outcome.draft);
    if (after.pressure >= (gates[0]?.opensAt ?? 1)) return undefined;
    return { ...ready, outcome: { ...ready.outcome, after } };
  }

  /** Keeps the log unchanged while the work is awaited. Messages that arrive meanwhile are appended afterwards. */
  async #holdingArrivals<T>(work: () => Promise<T>): Promise<T> {
    const { thread } = this.pieces;
    thread.holdArrivals();
    try {
      return await work();
    } finally {
      thread.admitArrivals();
    }
  }
}

/** Whether a run took place and is over. A run that a plugin skipped or that waits for approval is not. */
const hasEnded = ({ kind, skippedBy }: RunReport): boolean =>
  skippedBy === undefined && (kind === 'committed' || kind === 'noop' || kind === 'unreachable');

/** Whether a run only pruned. If it had to drop the oldest messages because that was not enough, plugins are told. */
const isUpkeep = (policy: Policy, { record }: RunReport): boolean =>
  onlyPrunes(policy) && !strategiesOf(record?.plan.edits ?? []).includes('drop');

/** Resolves when the work is done, or as soon as the signal is aborted. */
function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  // The caller may use one signal for all calls, so no listener may remain on it.
  const waited = new AbortController();
  const aborted = new Promise<void>((done) =>
    signal.addEventListener('abort', () => done(), { signal: waited.signal }),
  );
  return Promise.race([work, aborted]).finally(() => waited.abort());
}
