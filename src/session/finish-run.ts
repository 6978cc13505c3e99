import { spentAfter, type Planned, type RunOutcome } from '../pipeline/index.js';
import { strategiesOf } from './audit.js';
import { commitPlanned } from './commit.js';
import { pendingReport } from './no-run.js';
import type { FilledRun } from './plan-and-fill.js';
import type { RunReport } from './prepared.js';
import type { SessionCore } from './session-parts.js';
import { spentNow } from './triggers.js';
import { warningsOf } from './warnings.js';

export interface Finish {
  /** Milliseconds. */
  readonly durationMs: number;
  /** For an operator's yes. */
  readonly waits: boolean;
}

/** Commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
export function finishRun(of: SessionCore, run: FilledRun, { durationMs, waits }: Finish): RunReport {
  const { outcome } = run;
  if (outcome.kind !== 'planned') return withoutPlan(of, run, outcome, durationMs);
  if (!waits) return committed(of, run, outcome, durationMs);
  propose(of, run, outcome);
  return { ...pendingReport(outcome.plan), durationMs, ...callsOf(run) };
}

function committed(of: SessionCore, run: FilledRun, planned: Planned, durationMs: number): RunReport {
  const { pressure } = planned.after;
  const warnings = warningsFor(of, run, pressure);
  const bought = { ...spendingOf(run), ...hooksOf(run), ...warnings };
  const record = commitPlanned(of, planned, { kind: 'compaction', durationMs, bought });
  const { thread, parts } = of;
  const spent = spentAfter(pressure, parts.policy.gates, thread.appendedTokens);
  Object.assign(thread.memory, { spent, overflowed: false, queued: undefined });
  const { trigger, stages } = record.plan;
  const reason = trigger.detail;
  return { kind: 'committed', reason, stages, record, durationMs, ...callsOf(run), ...warnings };
}

function withoutPlan(
  of: SessionCore,
  run: FilledRun,
  outcome: Exclude<RunOutcome, Planned>,
  durationMs: number,
): RunReport {
  const { thread, parts } = of;
  const { asked } = run;
  const { pressure } = parts.gauge.read(thread.projection);
  Object.assign(thread.memory, { spent: spentNow(of), overflowed: false, queued: undefined });
  const warnings = warningsFor(of, run, pressure);
  if (outcome.kind === 'unreachable') {
    const { error, stages } = outcome;
    return { kind: 'unreachable', reason: error.message, stages, error, durationMs, ...warnings };
  }
  return {
    kind: 'noop',
    reason: outcome.reason,
    stages: outcome.stages,
    ...(asked?.skip && { skippedBy: asked.skip.by }),
    ...(outcome.tried?.length && { strategy: strategiesOf(outcome.tried) }),
    durationMs,
    ...callsOf(run),
    ...warnings,
  };
}

/** Lets a plan wait for an operator, with all that committing it later needs. */
function propose({ thread }: SessionCore, run: FilledRun, { plan, states }: Planned): void {
  const at = plan.inputs.clock;
  const proposal = { plan, at, states: Object.fromEntries(states), ...spendingOf(run) };
  thread.ledger.play({ kind: 'propose', proposal });
}

/** What was asked of summarizers, and what stood in where they or a compactor failed. */
function spendingOf({ bought, asked }: FilledRun) {
  const chain = asked?.chain ?? [];
  const isWorthSaying = bought !== undefined || chain.length > 0;
  return {
    ...(bought && { calls: bought.calls }),
    ...(isWorthSaying && { fallbacks: [...chain, ...(bought?.fallbacks ?? [])] }),
  };
}

const hooksOf = ({ asked }: FilledRun): Pick<RunReport, 'hooks'> =>
  asked && asked.lines.length > 0 ? { hooks: asked.lines } : {};

const callsOf = (run: FilledRun): Pick<RunReport, 'calls' | 'hooks'> => ({
  ...(run.bought && { calls: run.bought.calls }),
  ...hooksOf(run),
});

function warningsFor(
  { parts }: SessionCore,
  { outcome, bought }: FilledRun,
  pressure: number,
): Pick<RunReport, 'warnings'> {
  const own = warningsOf(outcome, pressure, parts.policy.gates[0]?.opensAt ?? Infinity);
  const found = [...own, ...(bought?.warnings ?? [])];
  return found.length > 0 ? { warnings: found } : {};
}
