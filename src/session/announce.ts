import type { Policy } from '../pipeline/index.js';
import type { Emit, PressureEvent } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { CompactionRecord, Plan } from '../transcript/index.js';
import type { RunReport } from './prepared.js';

/** Tells subscribers what a run came to: each stage that opened, where it stopped, how it ended. */
export function announce(emit: Emit<Reading>, report: RunReport, policy: Policy, pressure: number): void {
  for (const { stage, outcome, edits, before, after } of report.stages) {
    emit({ kind: 'firing', stage, outcome, edits, tokensBefore: before.tokens, tokensAfter: after.tokens });
  }
  const opened = new Set(report.stages.map(({ stage }) => stage));
  const skipped = policy.stages.map(({ stage }) => stage).filter((stage) => !opened.has(stage));
  const last = report.stages.at(-1);
  if (last && skipped.length > 0) emit({ kind: 'short-circuit', after: last.stage, pressure, skipped });

  for (const message of report.warnings ?? []) emit({ kind: 'warning', message });
  if (report.kind === 'noop') emit({ kind: 'noop', reason: report.reason });
  else if (report.kind === 'pending' && report.plan) emit(pendingEvent(report.plan));
  else if (report.error) emit({ kind: 'failed', error: report.error });
  else if (report.record) emit(completedEvent(report.record));
}

export function completedEvent({ id, plan, durationMs }: CompactionRecord): PressureEvent<Reading> {
  const { before, after } = plan;
  return {
    kind: 'completed',
    recordId: id,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    durationMs,
  };
}

export function pendingEvent({ hash, before, after }: Plan): PressureEvent<Reading> {
  return { kind: 'pending', plan: hash, tokensBefore: before.tokens, tokensAfter: after.tokens };
}
