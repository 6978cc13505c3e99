import { PIPELINE_STEPS, type Planned, type RunOutcome, type Policy } from '../pipeline/index.js';
import { spentAfter, boughtText, type PressureEvent } from '../pressure/index.js';
import type { StageOutcome, Warning, CompactionRecord, Plan } from '../transcript/index.js';
import { strategiesOf, type GivenWay } from './audit.js';
import type { Commits } from './commits.js';
import type { FilledRun } from './planner.js';
import { pendingReport, type RunReport } from './prepared.js';
import type { Uses } from './services.js';
import type { Triggers } from './runs.js';

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
