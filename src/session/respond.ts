import {
  planPass,
  planRun,
  runIsDue,
  spentAfter,
  type Pass,
  type RunInput,
  type RunOutcome,
} from '../pipeline/index.js';
import type { Emit } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { CompactionRecord, Trigger } from '../transcript/index.js';
import { announce } from './announce.js';
import type { RunReport } from './prepared.js';
import type { AgentState, SessionParts } from './state.js';

type Emitting = Emit<Reading>;

/** What a session does before a call: passes that need no gate, then a run where one is due. */
export function respondToPressure(state: AgentState, parts: SessionParts, emit: Emitting): RunReport {
  const { policy, auto } = parts;
  if (auto)
    for (const pass of policy.passes) if (passIsDue(pass, state, parts)) commitPass(pass, state, parts);
  const reading = parts.gauge.read(state.projection);
  emit({ kind: 'reading', reading });
  const trigger = auto ? triggerFor(reading, state, parts) : undefined;
  if (!trigger) {
    const belowGate = reading.pressure < (policy.stages[0]?.opensAt ?? Infinity);
    return {
      kind: belowGate ? 'below-gate' : 'waiting',
      reason: belowGate
        ? 'pressure is below the first gate'
        : 'nothing new since the last run came to nothing',
      stages: [],
      durationMs: 0,
    };
  }
  const overflow = trigger.kind === 'overflow';
  return respondNow(state, parts, emit, trigger, {
    // What overflowed was full, whatever it is read as: the target is a share of that, or nothing would go.
    target: overflow ? policy.target * Math.min(1, reading.pressure) : policy.target,
    forced: overflow,
  });
}

/** One run, now: planned, committed where it is worth it, announced. */
export function respondNow(
  state: AgentState,
  parts: SessionParts,
  emit: Emitting,
  trigger: Trigger,
  how: { readonly target: number; readonly forced: boolean },
): RunReport {
  const { gauge, policy, timer } = parts;
  const started = timer();
  emit({ kind: 'triggered', reading: gauge.read(state.projection), reason: trigger.detail });
  for (const pass of policy.passes) if (pass.when === 'compaction') commitPass(pass, state, parts);
  const input = {
    ...inputFor(state, parts, trigger),
    policy: { ...policy, target: how.target },
    forced: how.forced,
  };
  const report = settle(planRun(input), state, parts, timer() - started);
  announce(emit, report, policy, gauge.read(state.projection).pressure);
  return report;
}

function triggerFor(reading: Reading, state: AgentState, { policy }: SessionParts): Trigger | undefined {
  if (state.overflowed) return { kind: 'overflow', detail: 'the provider reported more than the budget' };
  const { stages, minGain } = policy;
  const freshTokens = minGain * reading.budget.tokens;
  if (runIsDue(reading.pressure, stages, state.spent, state.appendedTokens, freshTokens)) {
    return { kind: 'pressure', detail: `pressure ${reading.pressure.toFixed(3)}` };
  }
  const results = reading.byToolResults ?? 0;
  const fresh = !state.spent || state.appendedTokens - state.spent.appended >= freshTokens;
  return results > 1 && fresh
    ? { kind: 'cap', detail: `tool results at ${results.toFixed(2)} of their cap` }
    : undefined;
}

function passIsDue(pass: Pass, { projection, log }: AgentState, { gauge }: SessionParts): boolean {
  if (pass.when === 'compaction') return false;
  if (pass.when === 'always') return true;
  if (pass.when === 'iteration') return log.length > 0 && log.at(log.length - 1).role === 'tool';
  const { pressure, tokens } = gauge.read(projection);
  // The absolute threshold wins where one is set.
  return pass.when.maxTokens > 0 ? tokens >= pass.when.maxTokens : pressure >= pass.when.pressure;
}

/** A pass keeps the view stable by a record of its own; it is no compaction: no history, no hooks, no events. */
function commitPass(pass: Pass, state: AgentState, parts: SessionParts): void {
  const trigger: Trigger = { kind: pass.kind, detail: pass.detail };
  const started = parts.timer();
  const outcome = planPass(inputFor(state, parts, trigger), pass);
  if (outcome.kind === 'planned') commit(outcome, 'prune', state, parts, parts.timer() - started);
}

function inputFor(state: AgentState, parts: SessionParts, trigger: Trigger): RunInput {
  const { gauge, measureDraft, count, clock, timer, policy } = parts;
  const { log, references, statements, ledger, isPinned, projection, stageStates } = state;
  references.catchUp();
  statements.catchUp();
  return {
    source: { log, references, holds: ledger.holds, isPinned },
    projection,
    base: ledger.head,
    trigger,
    policy,
    forced: false,
    read: gauge.read,
    fixedTokens: gauge.fixedTokens,
    measure: measureDraft,
    count,
    clock: clock(),
    timer,
    claims: { identifiers: references.identifiers, artifacts: references.artifacts, statements },
    states: stageStates,
  };
}

/** Commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
function settle(outcome: RunOutcome, state: AgentState, parts: SessionParts, durationMs: number): RunReport {
  const { stages } = parts.policy;
  if (outcome.kind === 'planned') {
    const record = commit(outcome, 'compaction', state, parts, durationMs);
    state.spent = spentAfter(outcome.after.pressure, stages, state.appendedTokens);
    state.overflowed = false;
    return {
      kind: 'committed',
      reason: record.plan.trigger.detail,
      stages: record.plan.stages,
      record,
      durationMs,
    };
  }
  const { pressure } = parts.gauge.read(state.projection);
  state.spent = spentAfter(pressure, stages, state.appendedTokens) ?? {
    gate: -1,
    appended: state.appendedTokens,
  };
  state.overflowed = false;
  if (outcome.kind === 'noop')
    return { kind: 'noop', reason: outcome.reason, stages: outcome.stages, durationMs };
  const { error } = outcome;
  return { kind: 'unreachable', reason: error.message, stages: outcome.stages, error, durationMs };
}

function commit(
  { plan, draft, states, stageMs }: Extract<RunOutcome, { kind: 'planned' }>,
  kind: CompactionRecord['kind'],
  state: AgentState,
  parts: SessionParts,
  durationMs: number,
): CompactionRecord {
  const id = `c${state.ledger.records.length + 1}`;
  const committedAt = plan.inputs.clock;
  const record: CompactionRecord = { id, kind, status: 'committed', plan, committedAt, durationMs, stageMs };
  state.ledger.commit(record);
  state.projection = draft;
  state.stageStates = states;
  parts.gauge.rewritten();
  return record;
}
