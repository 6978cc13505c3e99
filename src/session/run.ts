import { type Planned, type Policy, PIPELINE_STEPS, type RunOutcome } from '../pipeline/index.js';
import { spentAfter, type Spent } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { StageOutcome, Trigger, Warning } from '../transcript/index.js';
import type { FilledRun } from './planner.js';
import { pendingReport, type RunReport } from './prepared.js';
import type { Pieces } from './wiring.js';
import { givenWayOf, strategiesOf, tellEnded, tellTriggered } from './told.js';

/** What a run begins with. */
interface Begun {
  readonly trigger: Trigger;
  readonly reading: Reading;
  readonly policy: Policy;
  /** For an operator's yes. */
  readonly waits: boolean;
  readonly started: number;
}

/** One run: tells of itself while it goes on, commits what was planned, and remembers what another would need to be worth it. */
export class Run {
  #hasFired = false;
  #hasStopped = false;

  /** Begins it. `started`: the timer when it was decided on. */
  constructor(
    private readonly of: Pick<
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
    private readonly begun: Begun,
  ) {
    tellTriggered(of, begun.trigger, begun.reading, begun.policy);
  }

  readonly fired = (done: StageOutcome, durationMs: number): void => {
    this.#hasFired = true;
    const { stage, outcome, edits, before, after } = done;
    const [tokensBefore, tokensAfter] = [before.tokens, after.tokens];
    this.of.stream.emit({ kind: 'firing', stage, outcome, edits, tokensBefore, tokensAfter, durationMs });
  };

  /** No further stage opens. */
  stopped(stages: readonly StageOutcome[], pressure: number): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    const opened = new Set(stages.map(({ stage }) => stage));
    const roster = this.begun.policy.stages.map(({ stage }) => stage);
    const skipped = roster.filter((stage) => !opened.has(stage));
    // The pipeline's own steps behind the stages are none of the roster.
    const last = stages.findLast(({ stage }) => roster.includes(stage));
    if (last && skipped.length > 0)
      this.of.stream.emit({ kind: 'short-circuit', after: last.stage, pressure, skipped });
  }

  /** Ends it: with a record, a plan that waits, or nothing. */
  finish(filled: FilledRun): RunReport {
    const { thread, gauge, stream, hooks, timer } = this.of;
    const before = thread.projection;
    const durationMs = timer() - this.begun.started;
    const report = this.#reportOf(filled, durationMs);
    const { stages, record, warnings = [], kind, reason } = report;
    // Before anybody is told: who listens may roll the log back.
    const givenWay = record && givenWayOf(before, thread);
    // A plan that was made between turns was told to nobody then.
    if (!this.#hasFired) for (const done of stages) this.fired(done, record?.stageMs[done.stage] ?? 0);
    this.stopped(stages, gauge.read(thread.projection).pressure);
    for (const warning of this.#news(warnings)) stream.emit({ kind: 'warning', ...warning });
    tellEnded(this.of, report, givenWay, this.begun.policy.strategies);
    if (filled.asked) hooks.tellFailedCompactor(filled.asked, `${kind}: ${reason}`, record?.id);
    return report;
  }

  #reportOf(filled: FilledRun, durationMs: number): RunReport {
    const { thread, gauge, policies, triggers, commits } = this.of;
    const { outcome, asked, bought } = filled;
    const hooks = asked && asked.lines.length > 0 && { hooks: asked.lines };
    const said = { durationMs, ...(bought && { calls: bought.calls }), ...hooks };
    if (outcome.kind === 'planned' && this.begun.waits) {
      this.#propose(filled, outcome);
      return { ...pendingReport(outcome.plan), ...said };
    }
    if (outcome.kind === 'planned') {
      const { pressure } = outcome.after;
      const warnings = this.#warningsFor(filled, pressure);
      const spent = { ...spendingOf(filled), ...hooks, ...warnings };
      const record = commits.commit(outcome, { kind: 'compaction', durationMs, bought: spent });
      this.#left(spentAfter(pressure, policies.now.gates, thread.appendedTokens));
      const { trigger, stages } = record.plan;
      const told = record.warnings && { warnings: record.warnings };
      return { kind: 'committed', reason: trigger.detail, stages, record, ...said, ...told };
    }
    this.#left(triggers.spent);
    const { kind, stages } = outcome;
    const warnings = this.#warningsFor(filled, gauge.read(thread.projection).pressure);
    if (kind === 'unreachable') {
      const { error } = outcome;
      return { kind, reason: error.message, stages, error, durationMs, ...warnings };
    }
    const { reason, tried = [] } = outcome;
    const skipped = asked?.skip && { skippedBy: asked.skip.by };
    const strategy = tried.length > 0 && { strategy: strategiesOf(tried) };
    return { kind, reason, stages, ...skipped, ...strategy, ...said, ...warnings };
  }

  /** What the next run knows of this one. */
  #left(spent: Spent | undefined): void {
    this.of.stream.left(spent);
    Object.assign(this.of.thread.memory, { overflowed: false, queued: undefined });
  }

  /** Lets a plan wait for an operator, with all that committing it later needs. */
  #propose(filled: FilledRun, { plan, states }: Planned): void {
    const at = plan.inputs.clock;
    const proposal = { plan, at, states: Object.fromEntries(states), ...spendingOf(filled) };
    this.of.thread.ledger.play({ kind: 'propose', proposal });
  }

  /** That a session is still full is told once, and stands in each record: where little is free, each run ends so. */
  #news(warnings: readonly Warning[]): readonly Warning[] {
    const { memory } = this.of.thread;
    const wasTold = memory.isToldFull;
    memory.isToldFull = warnings.some(({ code }) => code === 'still-full');
    return wasTold ? warnings.filter(({ code }) => code !== 'still-full') : warnings;
  }

  #warningsFor({ outcome, bought }: FilledRun, pressure: number): Pick<RunReport, 'warnings'> {
    const { gates } = this.of.policies.now;
    // What came to nothing below the last gate is no fault: the next stage opens by itself.
    const gate = outcome.kind === 'planned' ? gates[0] : gates.at(-1);
    const own = warningsOf(outcome, pressure, gate?.opensAt ?? Infinity);
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
 * `gate` from where on that is too much.
 */
function warningsOf(outcome: RunOutcome, pressure: number, gate: number): readonly Warning[] {
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
