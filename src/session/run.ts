import { type Planned, type Policy, PIPELINE_STEPS, type RunOutcome } from '../pipeline/index.js';
import { spentAfter, type Spent } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { StageOutcome, Trigger, Warning } from '../transcript/index.js';
import type { FilledRun } from './planner.js';
import { pendingReport, type RunReport } from './prepared.js';
import type { Pieces } from './wiring.js';
import { removedIdsOf, reportEnded, reportTriggered, strategiesOf } from './run-events.js';

/** The start of a run. */
interface RunStart {
  readonly trigger: Trigger;
  readonly reading: Reading;
  readonly policy: Policy;
  /** Whether the plan waits for an operator's approval. */
  readonly needsApproval: boolean;
  readonly started: number;
}

/** One run: emits its events, commits its plan, and records what has to change before another run is worth it. */
export class Run {
  #hasFired = false;
  #hasStopped = false;

  /** Starts the run. `begun.started`: the timer when the run was decided on. */
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'commits'
      | 'gauge'
      | 'hooks'
      | 'plugins'
      | 'policies'
      | 'stream'
      | 'thread'
      | 'timer'
      | 'triggers'
    >,
    private readonly start: RunStart,
  ) {
    reportTriggered(pieces, start.trigger, start.reading, start.policy);
  }

  readonly reportStage = (done: StageOutcome, durationMs: number): void => {
    this.#hasFired = true;
    const { stage, outcome, edits, before, after } = done;
    const [tokensBefore, tokensAfter] = [before.tokens, after.tokens];
    this.pieces.stream.emit({ kind: 'firing', stage, outcome, edits, tokensBefore, tokensAfter, durationMs });
  };

  /** Called when no further stage opens. */
  reportSkipped(stages: readonly StageOutcome[], pressure: number): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    const opened = new Set(stages.map(({ stage }) => stage));
    const roster = this.start.policy.stages.map(({ stage }) => stage);
    const skipped = roster.filter((stage) => !opened.has(stage));
    // The pipeline's own steps after the stages are not in the roster.
    const last = stages.findLast(({ stage }) => roster.includes(stage));
    if (last && skipped.length > 0)
      this.pieces.stream.emit({ kind: 'short-circuit', after: last.stage, pressure, skipped });
  }

  /** Ends the run: with a record, a waiting plan, or nothing. */
  finish(filled: FilledRun): RunReport {
    const { thread, gauge, stream, hooks, timer } = this.pieces;
    const before = thread.projection;
    const durationMs = timer() - this.start.started;
    const report = this.#reportOf(filled, durationMs);
    const { stages, record, warnings = [], kind, reason } = report;
    // Taken before any event is emitted, because a listener may roll the log back.
    const removedIds = record && removedIdsOf(before, thread);
    // A plan that was prepared between turns has not emitted its stages yet.
    if (!this.#hasFired) for (const done of stages) this.reportStage(done, record?.stageMs[done.stage] ?? 0);
    this.reportSkipped(stages, gauge.read(thread.projection).pressure);
    for (const warning of this.#newWarnings(warnings)) stream.emit({ kind: 'warning', ...warning });
    reportEnded(this.pieces, report, removedIds, this.start.policy.strategies);
    if (filled.answers) hooks.recordFailedCompactor(filled.answers, `${kind}: ${reason}`, record?.id);
    return report;
  }

  #reportOf(filled: FilledRun, durationMs: number): RunReport {
    const { thread, gauge, policies, triggers, commits } = this.pieces;
    const { outcome, answers, bought } = filled;
    const hooks = answers && answers.lines.length > 0 && { hooks: answers.lines };
    const common = { durationMs, ...(bought && { calls: bought.calls }), ...hooks };
    if (outcome.kind === 'planned' && this.start.needsApproval) {
      this.#propose(filled, outcome);
      return { ...pendingReport(outcome.plan), ...common };
    }
    if (outcome.kind === 'planned') {
      const { pressure } = outcome.after;
      const warnings = this.#warningsFor(filled, pressure);
      const spent = { ...spendingOf(filled), ...hooks, ...warnings };
      const record = commits.commit(outcome, { kind: 'compaction', durationMs, bought: spent });
      this.#rememberSpent(spentAfter(pressure, policies.current.gates, thread.appendedTokens));
      const { trigger, stages } = record.plan;
      const recordWarnings = record.warnings && { warnings: record.warnings };
      return { kind: 'committed', reason: trigger.detail, stages, record, ...common, ...recordWarnings };
    }
    this.#rememberSpent(triggers.spent);
    const { kind, stages } = outcome;
    const warnings = this.#warningsFor(filled, gauge.read(thread.projection).pressure);
    if (kind === 'unreachable') {
      const { error } = outcome;
      return { kind, reason: error.message, stages, error, durationMs, ...warnings };
    }
    const { reason, unplanned = [] } = outcome;
    const skipped = answers?.skip && { skippedBy: answers.skip.by };
    const strategy = unplanned.length > 0 && { strategy: strategiesOf(unplanned) };
    return { kind, reason, stages, ...skipped, ...strategy, ...common, ...warnings };
  }

  /** Records for the next run what this one left. */
  #rememberSpent(spent: Spent | undefined): void {
    this.pieces.stream.recordSpent(spent);
    Object.assign(this.pieces.thread.memory, { overflowed: false, queued: undefined });
  }

  /** Proposes a plan to an operator, with everything that is needed to commit it later. */
  #propose(filled: FilledRun, { plan, states }: Planned): void {
    const at = plan.inputs.clock;
    const proposal = { plan, at, states: Object.fromEntries(states), ...spendingOf(filled) };
    this.pieces.thread.ledger.play({ kind: 'propose', proposal });
  }

  /** Emits `still-full` only once in a row; each record has it. If little is free, every run ends with it. */
  #newWarnings(warnings: readonly Warning[]): readonly Warning[] {
    const { memory } = this.pieces.thread;
    const wasReported = memory.wasReportedFull;
    memory.wasReportedFull = warnings.some(({ code }) => code === 'still-full');
    return wasReported ? warnings.filter(({ code }) => code !== 'still-full') : warnings;
  }

  #warningsFor({ outcome, bought }: FilledRun, pressure: number): Pick<RunReport, 'warnings'> {
    const { gates } = this.pieces.policies.current;
    // A run without a plan below the last gate needs no warning: the next stage opens at its own gate.
    const gate = outcome.kind === 'planned' ? gates[0] : gates.at(-1);
    const own = warningsOf(outcome, pressure, gate?.opensAt ?? Infinity);
    const found = [...own, ...(bought?.warnings ?? [])];
    return found.length > 0 ? { warnings: found } : {};
  }
}

/** The calls of summarizers, and the fallbacks that were used if they or a compactor failed. */
function spendingOf({ bought, answers }: FilledRun) {
  const chain = answers?.chain ?? [];
  const hasFallbacks = bought !== undefined || chain.length > 0;
  return {
    ...(bought && { calls: bought.calls }),
    ...(hasFallbacks && { fallbacks: [...chain, ...(bought?.fallbacks ?? [])] }),
  };
}

const COMPACT_ADVICE =
  'Compact by hand before the next large step (session.operator.compact(), spillway compact), release';
const RELEASE_ADVICE = 'pins and holds, use a model with a larger window, or start a new session.';

/** The advice for an operator. After a manual run it does not suggest another manual run. */
const remedyFor = (outcome: RunOutcome): string =>
  outcome.kind === 'planned' && outcome.plan.trigger.kind === 'manual'
    ? `Release ${RELEASE_ADVICE}`
    : `${COMPACT_ADVICE} ${RELEASE_ADVICE}`;

/**
 * Warnings for an operator about a run that was not enough, with advice. `pressure` is the pressure after the run;
 * from `gate` on it is too high.
 */
function warningsOf(outcome: RunOutcome, pressure: number, gate: number): readonly Warning[] {
  const remedy = remedyFor(outcome);
  if (outcome.kind === 'unreachable')
    return [
      { code: 'floor-too-large', message: `The content that may never be removed does not fit. ${remedy}` },
    ];
  const stages = outcome.kind === 'planned' ? outcome.plan.stages : outcome.stages;
  if (stages.some(({ stage, outcome: came }) => stage === PIPELINE_STEPS.drop && came === 'applied'))
    return [
      {
        code: 'oldest-dropped',
        message: `${shortfallOf(stages)}: the oldest messages were left out. ${remedy}`,
      },
    ];
  if (pressure < gate) return [];
  const fills =
    outcome.kind === 'planned'
      ? `The session still fills ${percent(pressure)} of its budget after compaction.`
      : `The session fills ${percent(pressure)} of its budget, and nothing was compacted (${outcome.reason}).`;
  return [{ code: 'still-full', message: `${fills} ${remedy}` }];
}

/** Why messages had to be dropped. */
const shortfallOf = (stages: readonly StageOutcome[]): string =>
  stages.some(({ stage, outcome }) => stage === PIPELINE_STEPS.delegate && outcome === 'nothing')
    ? 'The compactor changed nothing'
    : 'What else was done was not enough';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
