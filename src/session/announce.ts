import type { Policy } from '../pipeline/index.js';
import { boughtText, type PressureEvent } from '../pressure/index.js';
import type { CompactionRecord, Plan, StageOutcome } from '../transcript/index.js';
import type { GivenWay } from './audit.js';
import type { RunReport } from './prepared.js';
import type { Uses } from './services.js';

/** Who is told of runs: subscribers, who listen while it happens, and operators, who look later. */
type Listeners = Uses<'audit' | 'stream'>;

/** How a run ended, with what is known of it beside its report. */
interface RunEnd {
  readonly report: RunReport;
  readonly givenWay: GivenWay;
  /** What the run might have done; a record says itself what it did. */
  readonly attempted?: readonly string[];
}

/** Tells of one run while it goes on: each stage as it ends, where it stopped, how it ended. */
export class RunAnnouncer {
  readonly #to: Listeners;
  readonly #policy: Policy;
  #hasFired = false;
  #hasStopped = false;

  constructor(to: Listeners, policy: Policy) {
    this.#to = to;
    this.#policy = policy;
  }

  readonly fired = (done: StageOutcome, durationMs: number): void => {
    this.#hasFired = true;
    const { stage, outcome, edits, before, after } = done;
    const [tokensBefore, tokensAfter] = [before.tokens, after.tokens];
    this.#to.stream.emit({ kind: 'firing', stage, outcome, edits, tokensBefore, tokensAfter, durationMs });
  };

  /** No further stage opens. */
  stopped(stages: readonly StageOutcome[], pressure: number): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    const opened = new Set(stages.map(({ stage }) => stage));
    const skipped = this.#policy.stages.map(({ stage }) => stage).filter((stage) => !opened.has(stage));
    // The pipeline's own steps behind the stages are none of the roster.
    const names = new Set(this.#policy.stages.map(({ stage }) => stage));
    const last = stages.findLast(({ stage }) => names.has(stage));
    if (last && skipped.length > 0)
      this.#to.stream.emit({ kind: 'short-circuit', after: last.stage, pressure, skipped });
  }

  ended(report: RunReport, pressure: number, givenWay: GivenWay): void {
    // A plan that was made between turns was told to nobody then.
    if (!this.#hasFired)
      for (const done of report.stages) this.fired(done, report.record?.stageMs[done.stage] ?? 0);
    this.stopped(report.stages, pressure);
    for (const warning of report.warnings ?? []) this.#to.stream.emit({ kind: 'warning', ...warning });
    tellEnded({ report, givenWay, attempted: this.#policy.strategies ?? [] }, this.#to);
  }
}

/** Tells how a run ended: to subscribers, then to the audit. */
export function tellEnded({ report, givenWay, attempted }: RunEnd, { stream, audit }: Listeners): void {
  const { kind, reason, plan, error, record } = report;
  if (kind === 'noop') stream.emit({ kind, reason });
  else if (kind === 'pending' && plan) stream.emit(pendingEvent(plan));
  else if (error) stream.emit({ kind: 'failed', error });
  else if (record) stream.emit(completedEvent(record));
  audit.ended(report, givenWay, attempted);
}

function completedEvent({ id, plan, durationMs, stageMs, calls = [] }: CompactionRecord): PressureEvent {
  const { before, after } = plan;
  return {
    kind: 'completed',
    recordId: id,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    durationMs,
    stageMs,
    calls: calls.map(boughtText),
  };
}

export function pendingEvent({ hash, before, after }: Plan): PressureEvent {
  return { kind: 'pending', plan: hash, tokensBefore: before.tokens, tokensAfter: after.tokens };
}
