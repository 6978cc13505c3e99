import { mayBeWorthIt, type Policy } from '../pipeline/index.js';
import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';
import type { EarlyFill } from './ahead/early.js';
import { RunAnnouncer } from './announce.js';
import { finishRun } from './finish-run.js';
import { givenWayOf } from './audit.js';
import type { PluginHooks } from './hooks/plugin-hooks.js';
import { belowThreshold, NO_PROSPECT, noRun, pendingReport } from './no-run.js';
import { commitPasses, stripMoved } from './passes.js';
import { planAndFill, type FilledRun } from './plan-and-fill.js';
import { planInput } from './plan-input.js';
import type { RunReport } from './prepared.js';
import type { RunManner } from './run-overrides.js';
import type { SessionCore } from './session-parts.js';
import { passIsDue, triggerAt } from './triggers.js';

/** At once where no text is to be bought. */
export type Response = RunReport | Promise<RunReport>;

interface CompactionServices extends SessionCore {
  readonly early: EarlyFill;
  readonly hooks: PluginHooks;
}

/** Plans runs, has their text bought, and commits them: the one place where a session's view gets smaller. */
export class Compaction {
  readonly #of: CompactionServices;

  constructor(of: CompactionServices) {
    this.#of = of;
  }

  /**
   * What a session does before a call: passes that need no gate, then a run where one is due. `moved`: position of the log
   * behind which what hooks add has changed.
   */
  beforeCall(moved?: number, signal?: AbortSignal): Response {
    const { policy, gauge, stream } = this.#of.parts;
    const { ledger, memory } = this.#of.thread;
    if (ledger.pending) return pendingReport(ledger.pending.plan);
    if (moved !== undefined) stripMoved(this.#of, moved);
    const due = triggerAt(this.#of, gauge.read(this.#of.thread.projection));
    commitPasses(this.#of, policy, due, (pass) => passIsDue(this.#of, pass));
    const reading = gauge.read(this.#of.thread.projection);
    stream.emit({ kind: 'reading', reading });
    const trigger = triggerAt(this.#of, reading);
    if (!trigger) return noRun(reading.pressure < (policy.gates[0]?.opensAt ?? Infinity));
    if (!this.#hasProspect(trigger, reading)) {
      const report = finishRun(this.#of, { outcome: NO_PROSPECT }, { durationMs: 0, waits: false });
      new RunAnnouncer(this.#of.parts, policy).ended(report, reading.pressure, () => []);
      return report;
    }
    const overflow = trigger.kind === 'overflow' || memory.queued !== undefined;
    return this.run(trigger, {
      // What overflowed was full, whatever it is read as: the target is a share of that, or nothing would go.
      target: overflow ? policy.target * Math.min(1, reading.pressure) : policy.target,
      forced: overflow,
      refused: memory.overflowed,
      signal,
    });
  }

  /** Whether a run may be worth it; always where one is prepared, or begins with a pass. */
  #hasProspect(trigger: Trigger, reading: Reading): boolean {
    const { passes } = this.#of.parts.policy;
    if (trigger.kind !== 'pressure' || passes.some(({ when }) => when === 'compaction')) return true;
    const early = this.#of.early;
    early.revive();
    if (early.running || early.take()) return true;
    return mayBeWorthIt(planInput(this.#of, trigger), reading);
  }

  /** One run, now: planned, committed where it is worth it, announced; and then told to plugins that listen. */
  run(trigger: Trigger, how: RunManner): Response {
    const before = this.#of.hooks.areTold ? this.#of.hooks.now : undefined;
    const response = this.#start(trigger, how);
    if (!before) return response;
    return Promise.resolve(response).then(async (report) => {
      if (hasEnded(report)) await this.#of.hooks.after(before, report);
      return report;
    });
  }

  /** Waits for text that is being bought already, where the run is to have text. */
  #start(trigger: Trigger, how: RunManner): Response {
    const { early, parts } = this.#of;
    const isPressure = trigger.kind === 'pressure';
    if (isPressure) early.revive();
    const waitsForText = parts.waitsForText || !(isPressure || trigger.kind === 'cap');
    if (isPressure && early.running && waitsForText && !how.signal?.aborted)
      return untilAborted(early.running, how.signal).then(() => this.#start(trigger, how));
    return this.#runNow(trigger, { ...how, waitsForText });
  }

  #runNow(trigger: Trigger, how: RunManner & { readonly waitsForText: boolean }): Response {
    const { thread, parts, hooks } = this.#of;
    const { audit, gauge, stream, timer } = parts;
    const { policy, filler: configured } = how.tuned ?? parts;
    const filler = how.waitsForText ? configured : undefined;
    const started = timer();
    const reading = gauge.read(thread.projection);
    if (reading.pressure < (how.threshold ?? 0)) return belowThreshold(how.threshold!);
    stream.emit({ kind: 'triggered', reading, reason: trigger.detail });
    audit.triggered(trigger, reading.pressure, policy.strategies, hooks.compactorFor(policy));
    commitPasses(this.#of, policy, trigger, ({ when }) => when === 'compaction');
    const announcer = new RunAnnouncer(parts, policy);
    const waits = how.waits ?? (policy.waits === true && trigger.kind !== 'manual');
    const finish = (run: FilledRun): RunReport => {
      const before = thread.projection;
      const report = finishRun(this.#of, run, { durationMs: timer() - started, waits });
      announcer.ended(report, gauge.read(thread.projection).pressure, givenWayOf(before, thread));
      if (run.asked)
        hooks.tellFailedCompactor(run.asked, `${report.kind}: ${report.reason}`, report.record?.id);
      return report;
    };
    const isAsked = hooks.asks(policy);
    const ready = isAsked || trigger.kind !== 'pressure' ? undefined : this.#readyPlan(policy);
    if (ready) return finish(ready);
    const input = {
      ...planInput(this.#of, trigger),
      policy: { ...policy, target: how.target },
      forced: how.forced,
      ...(how.refused && { refused: true }),
      ...(filler && { asks: true }),
    };
    const isCurrent = this.#untilChanged();
    const plan = (): FilledRun | Promise<FilledRun> =>
      planAndFill(input, { parts, hooks, filler, signal: how.signal, announcer, isCurrent });
    if (isAsked) return this.#standingStill(async () => finish(await plan()));
    const run = plan();
    return run instanceof Promise ? this.#standingStill(async () => finish(await run)) : finish(run);
  }

  /** What was prepared between turns, where it brings pressure below the first gate. */
  #readyPlan({ gates }: Policy): FilledRun | undefined {
    const ready = this.#of.early.take();
    if (!ready) return undefined;
    const after = this.#of.parts.gauge.read(ready.outcome.draft);
    if (after.pressure >= (gates[0]?.opensAt ?? 1)) return undefined;
    return { ...ready, outcome: { ...ready.outcome, after } };
  }

  /** Says whether ledger and log are still those of now. */
  #untilChanged(): () => boolean {
    const { thread } = this.#of;
    const { log } = thread;
    const base = thread.ledger.head;
    return () => thread.ledger.head === base && thread.log === log;
  }

  /** The log stands still while somebody is waited for; what arrived meanwhile is let in after. */
  async #standingStill(work: () => Promise<RunReport>): Promise<RunReport> {
    const { thread } = this.#of;
    thread.holdArrivals();
    try {
      return await work();
    } finally {
      thread.admitArrivals();
    }
  }
}

/** Whether a run was made, and is over: one that a plugin skipped, or that waits for a yes, is not. */
const hasEnded = ({ kind, skippedBy }: RunReport): boolean =>
  skippedBy === undefined && (kind === 'committed' || kind === 'noop' || kind === 'unreachable');

/** Resolves with the work, or as soon as nobody wants to wait any more. */
function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  return Promise.race([work, aborted]);
}
