import { type Planned, planRun, runIsDue, type RunOutcome, spentAfter } from '../pipeline/index.js';
import type { Emit } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import { SpillwayError } from '../errors/index.js';
import type { Plan, Trigger } from '../transcript/index.js';
import { strategiesOf } from './audit.js';
import { announce } from './announce.js';
import { passIsDue } from './pass-due.js';
import { givenWayOf } from './given-way.js';
import { fillPlan, hasSlots, type Filling } from './fill.js';
import type { RunReport } from './prepared.js';
import { commit } from './commit.js';
import { commitPass, commitSignatures } from './passes.js';
import { belowThreshold, type RunManner } from './run-overrides.js';
import { inputFor } from './run-input.js';
import { admitArrivals, type AgentState, type SessionParts } from './state.js';
import { warningsOf } from './warnings.js';

type Emitting = Emit<Reading>;

/** At once where no text is to be bought. */
export type Response = RunReport | Promise<RunReport>;

/** What a session does before a call: passes that need no gate, then a run where one is due. */
export function respondToPressure(
  state: AgentState,
  parts: SessionParts,
  emit: Emitting,
  signal?: AbortSignal,
): Response {
  const { policy, auto } = parts;
  if (state.ledger.pending) return pendingReport(state.ledger.pending.plan);
  commitSignatures(state, parts);
  if (auto)
    for (const pass of policy.passes) if (passIsDue(pass, state, parts)) commitPass(pass, state, parts);
  const reading = parts.gauge.read(state.projection);
  emit({ kind: 'reading', reading });
  const trigger = auto || state.queued ? triggerFor(reading, state, parts) : undefined;
  if (!trigger) {
    const belowGate = reading.pressure < (policy.gates[0]?.opensAt ?? Infinity);
    return {
      kind: belowGate ? 'below-gate' : 'waiting',
      reason: belowGate
        ? 'pressure is below the first gate'
        : 'nothing new since the last run came to nothing',
      stages: [],
      durationMs: 0,
    };
  }
  const overflow = trigger.kind === 'overflow' || state.queued !== undefined;
  return respondNow(state, parts, emit, trigger, {
    // What overflowed was full, whatever it is read as: the target is a share of that, or nothing would go.
    target: overflow ? policy.target * Math.min(1, reading.pressure) : policy.target,
    forced: overflow,
    refused: state.overflowed,
    signal,
  });
}

/** One run, now: planned, committed where it is worth it, announced. */
export function respondNow(
  state: AgentState,
  parts: SessionParts,
  emit: Emitting,
  trigger: Trigger,
  how: RunManner,
): Response {
  const { gauge, timer, early } = parts;
  const { policy, filler } = how.tuned ?? parts;
  if (trigger.kind === 'pressure') early.revive(state, parts);
  if (trigger.kind === 'pressure' && early.running)
    return early.running.then(() => respondNow(state, parts, emit, trigger, how));
  const started = timer();
  const reading = gauge.read(state.projection);
  if (reading.pressure < (how.threshold ?? 0)) return belowThreshold(how.threshold!);
  emit({ kind: 'triggered', reading, reason: trigger.detail });
  parts.audit.triggered(trigger, reading.pressure, policy.strategies);
  for (const pass of policy.passes) if (pass.when === 'compaction') commitPass(pass, state, parts);
  const input = {
    ...inputFor(state, parts, trigger),
    policy: { ...policy, target: how.target },
    forced: how.forced,
    ...(how.refused && { refused: true }),
  };
  const waits = how.waits ?? (policy.waits === true && trigger.kind !== 'manual');
  const finish = (outcome: RunOutcome, bought?: Filling['bought']): RunReport => {
    const before = state.projection;
    const report = settle(outcome, state, parts, { durationMs: timer() - started, waits, bought });
    announce(emit, report, policy, gauge.read(state.projection).pressure);
    parts.audit.ended(report, givenWayOf(before, state), policy.strategies);
    return report;
  };
  const ready = trigger.kind === 'pressure' ? early.take(state) : undefined;
  const enough = ready && { ...ready.outcome, after: gauge.read(ready.outcome.draft) };
  if (enough && enough.after.pressure < (policy.gates[0]?.opensAt ?? 1)) return finish(enough, ready.bought);
  const outcome = planRun(input);
  if (!filler || outcome.kind !== 'planned' || !hasSlots(outcome)) return finish(outcome);
  filler.onBreaker = (stage, to) => emit({ kind: 'breaker', stage, state: to });
  return finishWithText(fillPlan(input, outcome, filler, parts.costs, how.signal), state, parts, finish);
}

/** Commits when the text is there, unless the ledger moved on meanwhile; lets in what arrived while it was waited for. */
async function finishWithText(
  filling: Promise<Filling>,
  state: AgentState,
  parts: SessionParts,
  finish: (outcome: RunOutcome, bought: Filling['bought']) => RunReport,
): Promise<RunReport> {
  state.arrivals = [];
  const { log } = state;
  const base = state.ledger.head;
  try {
    const { outcome, bought } = await filling;
    const isCurrent = state.ledger.head === base && state.log === log;
    return finish(isCurrent ? outcome : staleOf(outcome), bought);
  } finally {
    admitArrivals(state, parts);
  }
}

function staleOf({ plan }: Planned): RunOutcome {
  const reason = 'the ledger moved on while text was waited for';
  return { kind: 'noop', reason, stages: plan.stages };
}

/** Whether anything would be compacted now: what that needs is the whole log. */
export function wouldAct(state: AgentState, parts: SessionParts): boolean {
  if (state.queued) return true;
  if (!parts.auto || state.ledger.pending) return false;
  const { policy, gauge } = parts;
  if (policy.passes.some((pass) => passIsDue(pass, state, parts))) return true;
  return triggerFor(gauge.read(state.projection), state, parts) !== undefined;
}

export function pendingReport(plan: Plan): RunReport {
  const error = new SpillwayError('COMPACTION_PENDING', {
    subject: `plan ${plan.hash.slice(0, 12)}`,
    found: 'waiting for an operator',
    remedy: 'Approve, edit or reject it; nothing is lost meanwhile.',
    facts: { plan: plan.hash, tokensBefore: plan.before.tokens, tokensAfter: plan.after.tokens },
  });
  return {
    kind: 'pending',
    reason: 'a plan waits for an operator',
    stages: plan.stages,
    plan,
    error,
    durationMs: 0,
  };
}

function triggerFor(reading: Reading, state: AgentState, { policy }: SessionParts): Trigger | undefined {
  if (state.overflowed) return { kind: 'overflow', detail: 'the provider reported more than the budget' };
  if (state.queued) {
    const { id, auto } = state.queued;
    return { kind: auto ? 'overflow' : 'manual', detail: `queued in the log by ${id}` };
  }
  const { gates, minGain } = policy;
  const freshTokens = minGain * reading.budget.tokens;
  if (runIsDue(reading.pressure, gates, state.spent, state.appendedTokens, freshTokens)) {
    return { kind: 'pressure', detail: `pressure ${reading.pressure.toFixed(3)}` };
  }
  const results = reading.byToolResults ?? 0;
  const fresh = !state.spent || state.appendedTokens - state.spent.appended >= freshTokens;
  return results > 1 && fresh
    ? { kind: 'cap', detail: `tool results at ${results.toFixed(2)} of their cap` }
    : undefined;
}

/** Commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
function settle(
  outcome: RunOutcome,
  state: AgentState,
  parts: SessionParts,
  {
    durationMs,
    waits,
    bought,
  }: { readonly durationMs: number; readonly waits: boolean; readonly bought: Filling['bought'] | undefined },
): RunReport {
  const { gates } = parts.policy;
  const calls = bought && { calls: bought.calls };
  const warnings = (pressure: number): { readonly warnings?: readonly string[] } => {
    const found = warningsOf(outcome, pressure, gates[0]?.opensAt ?? Infinity, bought);
    return found.length > 0 ? { warnings: found } : {};
  };
  if (outcome.kind === 'planned' && waits) {
    propose(outcome, state, bought);
    return { ...pendingReport(outcome.plan), durationMs, ...calls };
  }
  if (outcome.kind === 'planned') {
    const warned = warnings(outcome.after.pressure);
    const record = commit(outcome, 'compaction', state, parts, durationMs, { ...bought, ...warned });
    state.spent = spentAfter(outcome.after.pressure, gates, state.appendedTokens);
    state.overflowed = false;
    state.queued = undefined;
    return {
      kind: 'committed',
      reason: record.plan.trigger.detail,
      stages: record.plan.stages,
      record,
      durationMs,
      ...calls,
      ...warned,
    };
  }
  const { pressure } = parts.gauge.read(state.projection);
  state.spent = spentAfter(pressure, gates, state.appendedTokens) ?? {
    gate: -1,
    appended: state.appendedTokens,
  };
  state.overflowed = false;
  state.queued = undefined;
  if (outcome.kind === 'noop')
    return {
      kind: 'noop',
      reason: outcome.reason,
      stages: outcome.stages,
      ...(outcome.tried?.length && { strategy: strategiesOf(outcome.tried) }),
      durationMs,
      ...calls,
      ...warnings(pressure),
    };
  const { error } = outcome;
  const { message: reason } = error;
  return { kind: 'unreachable', reason, stages: outcome.stages, error, durationMs, ...warnings(pressure) };
}

/** Lets a plan wait for an operator, with all that committing it later needs. */
function propose({ plan, states }: Planned, state: AgentState, bought?: Filling['bought']): void {
  const proposal = { plan, at: plan.inputs.clock, states: Object.fromEntries(states), ...bought };
  state.ledger.play({ kind: 'propose', proposal });
}
