import { PIPELINE_STEPS, type Planned, type RunOutcome } from '../pipeline/index.js';
import { spentAfter } from '../pressure/index.js';
import type { StageOutcome, Warning } from '../transcript/index.js';
import { strategiesOf } from './audit.js';
import type { Commits } from './commits.js';
import type { FilledRun } from './planner.js';
import { pendingReport, type RunReport } from './prepared.js';
import type { Uses } from './services.js';
import type { Triggers } from './triggers.js';

type Parts = Uses<'thread' | 'gauge' | 'policies' | 'stream'> & {
  readonly commits: Commits;
  readonly triggers: Triggers;
};

interface Finish {
  /** Milliseconds. */
  readonly durationMs: number;
  /** For an operator's yes. */
  readonly waits: boolean;
}

/** Ends runs: commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
export class RunEnds {
  readonly #of: Parts;

  constructor(of: Parts) {
    this.#of = of;
  }

  finish(run: FilledRun, { durationMs, waits }: Finish): RunReport {
    const { outcome } = run;
    if (outcome.kind !== 'planned') return this.#withoutPlan(run, outcome, durationMs);
    if (!waits) return this.#committed(run, outcome, durationMs);
    this.#propose(run, outcome);
    return { ...pendingReport(outcome.plan), durationMs, ...callsOf(run) };
  }

  #committed(run: FilledRun, planned: Planned, durationMs: number): RunReport {
    const { thread, policies, stream, commits } = this.#of;
    const { pressure } = planned.after;
    const warnings = this.#warningsFor(run, pressure);
    const bought = { ...spendingOf(run), ...hooksOf(run), ...warnings };
    const record = commits.commit(planned, { kind: 'compaction', durationMs, bought });
    stream.left(spentAfter(pressure, policies.now.gates, thread.appendedTokens));
    Object.assign(thread.memory, { overflowed: false, queued: undefined });
    const { trigger, stages } = record.plan;
    const reason = trigger.detail;
    return { kind: 'committed', reason, stages, record, durationMs, ...callsOf(run), ...warnings };
  }

  #withoutPlan(run: FilledRun, outcome: Exclude<RunOutcome, Planned>, durationMs: number): RunReport {
    const { thread, gauge, stream, triggers } = this.#of;
    const { asked } = run;
    const { pressure } = gauge.read(thread.projection);
    stream.left(triggers.spent);
    Object.assign(thread.memory, { overflowed: false, queued: undefined });
    const warnings = this.#warningsFor(run, pressure);
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
  #propose(run: FilledRun, { plan, states }: Planned): void {
    const at = plan.inputs.clock;
    const proposal = { plan, at, states: Object.fromEntries(states), ...spendingOf(run) };
    this.#of.thread.ledger.play({ kind: 'propose', proposal });
  }

  #warningsFor({ outcome, bought }: FilledRun, pressure: number): Pick<RunReport, 'warnings'> {
    const own = warningsOf(outcome, pressure, this.#of.policies.now.gates[0]?.opensAt ?? Infinity);
    const found = [...own, ...(bought?.warnings ?? [])];
    return found.length > 0 ? { warnings: found } : {};
  }
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

const BY_HAND =
  'Compact by hand before the next large step (session.operator.compact(), spillway compact), release';
const REST = 'pins and holds, use a model with a larger window, or start a new session.';

/** What can be done; who has just compacted by hand is not told to. */
const remedyFor = (outcome: RunOutcome): string =>
  outcome.kind === 'planned' && outcome.plan.trigger.kind === 'manual'
    ? `Release ${REST}`
    : `${BY_HAND} ${REST}`;

/**
 * What an operator should know of a run that was not enough, and what can be done. `pressure` is what the run left,
 * `firstGate` where the next one is due.
 */
export function warningsOf(outcome: RunOutcome, pressure: number, firstGate: number): readonly Warning[] {
  const remedy = remedyFor(outcome);
  if (outcome.kind === 'unreachable')
    return [{ code: 'floor-too-large', message: `What may never be removed does not fit. ${remedy}` }];
  const stages = outcome.kind === 'planned' ? outcome.plan.stages : outcome.stages;
  if (stages.some(({ stage, outcome: came }) => stage === PIPELINE_STEPS.drop && came === 'applied'))
    return [
      {
        code: 'oldest-dropped',
        message: `${shortfallOf(stages)}: the oldest messages were left out. ${remedy}`,
      },
    ];
  if (pressure < firstGate) return [];
  const fills =
    outcome.kind === 'planned'
      ? `The session still fills ${percent(pressure)} of its budget after compaction.`
      : `The session fills ${percent(pressure)} of its budget, and nothing was compacted: ${outcome.reason}.`;
  return [{ code: 'still-full', message: `${fills} ${remedy}` }];
}

/** Why messages had to be dropped. */
const shortfallOf = (stages: readonly StageOutcome[]): string =>
  stages.some(({ stage, outcome }) => stage === PIPELINE_STEPS.delegate && outcome === 'nothing')
    ? 'The compactor changed nothing'
    : 'What else was done was not enough';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
