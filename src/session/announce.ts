import type { Policy } from '../pipeline/index.js';
import { boughtText, type Emit, type PressureEvent } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { CompactionRecord, Plan, StageOutcome } from '../transcript/index.js';
import type { RunReport } from './prepared.js';

/** Tells subscribers of one run while it goes on: each stage as it ends, where it stopped, how it ended. */
export class RunAnnouncer {
  readonly #emit: Emit<Reading>;
  readonly #policy: Policy;
  #hasFired = false;
  #hasStopped = false;

  constructor(emit: Emit<Reading>, policy: Policy) {
    this.#emit = emit;
    this.#policy = policy;
  }

  readonly fired = (done: StageOutcome, durationMs: number): void => {
    this.#hasFired = true;
    const { stage, outcome, edits, before, after } = done;
    const [tokensBefore, tokensAfter] = [before.tokens, after.tokens];
    this.#emit({ kind: 'firing', stage, outcome, edits, tokensBefore, tokensAfter, durationMs });
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
      this.#emit({ kind: 'short-circuit', after: last.stage, pressure, skipped });
  }

  ended(report: RunReport, pressure: number): void {
    // A plan that was made between turns was told to nobody then.
    if (!this.#hasFired)
      for (const done of report.stages) this.fired(done, report.record?.stageMs[done.stage] ?? 0);
    this.stopped(report.stages, pressure);
    for (const warning of report.warnings ?? []) this.#emit({ kind: 'warning', ...warning });
    if (report.kind === 'noop') this.#emit({ kind: 'noop', reason: report.reason });
    else if (report.kind === 'pending' && report.plan) this.#emit(pendingEvent(report.plan));
    else if (report.error) this.#emit({ kind: 'failed', error: report.error });
    else if (report.record) this.#emit(completedEvent(report.record));
  }
}

export function completedEvent({
  id,
  plan,
  durationMs,
  stageMs,
  calls = [],
}: CompactionRecord): PressureEvent<Reading> {
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

export function pendingEvent({ hash, before, after }: Plan): PressureEvent<Reading> {
  return { kind: 'pending', plan: hash, tokensBefore: before.tokens, tokensAfter: after.tokens };
}
