import { SpillwayError } from '../../errors/index.js';
import { hashPlan, planRun, rejudge } from '../../pipeline/index.js';
import type { Reading } from '../../tokens/index.js';
import type {
  CompactionRecord,
  Message,
  Plan,
  PlannedEdit,
  Projection,
  StageOutcome,
  Trigger,
} from '../../transcript/index.js';
import { completedEvent } from '../announce.js';
import { givenWayOf } from '../given-way.js';
import { fillPlan, hasSlots } from '../fill.js';
import type { Prepared } from '../prepared.js';
import { commit } from '../commit.js';
import type { RunOverrides } from '../run-overrides.js';
import { inputFor } from '../run-input.js';
import type { AgentState, SessionParts } from '../state.js';
import { spentNow, waitingFor } from './operator.js';

/** What a compaction would do. `noop` and `unreachable` have no plan, and say why. */
export interface DryRun {
  readonly kind: 'planned' | 'noop' | 'unreachable';
  readonly reason: string;
  readonly plan?: Plan;
  readonly before: Reading;
  readonly after: Reading;
  readonly stages: readonly StageOutcome[];
  /** Calls of a summarizer for its text, and which slots kept their deterministic form. */
  readonly calls: CompactionRecord['calls'];
  readonly fallbacks: CompactionRecord['fallbacks'];
  readonly error?: SpillwayError;
}

/** What an operator changes of a plan. */
export interface PlanChanges {
  /** Places of edits that are left out, as in `plan.edits`. */
  readonly without?: readonly number[];
  /** Messages that stay as they are: every edit that touches one is left out. */
  readonly keep?: readonly string[];
  /** Other words for what stands in place of a part or a span, by place of the edit. */
  readonly text?: Readonly<Record<number, string>>;
}

export async function dryRun(
  state: AgentState,
  parts: SessionParts,
  { signal, ...overrides }: RunOverrides & { readonly signal?: AbortSignal },
): Promise<DryRun> {
  const { policy, filler } = parts.tuned(overrides);
  const { target = policy.target } = overrides;
  const trigger: Trigger = { kind: 'manual', detail: `asked for pressure ${target}` };
  const input = {
    ...inputFor(state, parts, trigger),
    policy: { ...policy, target },
    forced: true,
  };
  const before = parts.gauge.read(state.projection);
  const outcome = planRun(input);
  const common = { before, calls: [], fallbacks: [] };
  if (outcome.kind === 'noop') {
    const { kind, reason, stages } = outcome;
    return { ...common, kind, reason, stages, after: before };
  }
  if (outcome.kind === 'unreachable')
    return { ...common, ...outcome, reason: outcome.error.message, after: before };
  const filled =
    filler && hasSlots(outcome)
      ? await fillPlan(input, outcome, filler, parts.costs, signal)
      : { outcome, bought: { calls: [], fallbacks: [] } };
  const { plan, after } = filled.outcome;
  return {
    kind: 'planned',
    reason: trigger.detail,
    plan,
    before,
    after,
    stages: plan.stages,
    ...filled.bought,
  };
}

/** Throws `PLAN_ALTERED`, `LEDGER_CONFLICT` as committing would. */
export function previewPlan(
  plan: Plan,
  state: AgentState,
  parts: SessionParts,
): Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'> {
  const draft = drawn(plan, state);
  const { messages, beside = {}, notices } = parts.serialise(draft.view);
  return { messages, beside, notices, reading: parts.gauge.read(draft), view: draft.view };
}

export function commitPlan(plan: Plan, state: AgentState, parts: SessionParts): CompactionRecord {
  const draft = drawn(plan, state);
  const { pending } = state.ledger;
  const before = state.projection;
  const isApproved = pending?.plan.hash === plan.hash;
  const states = isApproved && pending.states ? new Map(Object.entries(pending.states)) : state.stageStates;
  const bought = isApproved ? { calls: pending.calls ?? [], fallbacks: pending.fallbacks ?? [] } : undefined;
  const planned = { plan, draft, states, stageMs: {} };
  const record = commit(planned, 'compaction', state, parts, 0, bought, isApproved ? plan.hash : undefined);
  if (isApproved) {
    parts.audit.say('approved', plan.hash, { record: record.id });
    parts.stream.emit({ kind: 'approved', plan: plan.hash, recordId: record.id });
  }
  const report = { kind: 'committed', reason: plan.trigger.detail, stages: plan.stages, record } as const;
  parts.audit.ended({ ...report, durationMs: 0 }, givenWayOf(before, state));
  parts.stream.emit(completedEvent(record));
  return record;
}

/** Commits the plan that waits, as it was shown. Throws `PLAN_UNKNOWN` where it waits no more. */
export function approvePlan(hash: string, state: AgentState, parts: SessionParts): CompactionRecord {
  return commitPlan(waitingFor(state, hash).plan, state, parts);
}

/** Throws `PLAN_UNKNOWN` where the plan waits no more. */
export function rejectPlan(
  hash: string,
  notes: string | undefined,
  state: AgentState,
  parts: SessionParts,
): void {
  const { plan } = waitingFor(state, hash);
  state.ledger.play({ kind: 'reject', plan: plan.hash, ...(notes !== undefined && { notes }) });
  state.spent = spentNow(state, parts);
  parts.audit.say('rejected', plan.hash, { notes });
  parts.stream.emit({ kind: 'rejected', plan: plan.hash });
}

/** The edited plan waits in the place of the other. Throws `PLAN_UNKNOWN` where that one waits no more. */
export function editWaiting(plan: Plan, changes: PlanChanges, state: AgentState, parts: SessionParts): Plan {
  const waiting = waitingFor(state, plan.hash);
  const edited = editPlan(plan, changes, state, parts);
  state.ledger.play({ kind: 'propose', proposal: { ...waiting, plan: edited, at: parts.clock() } });
  parts.audit.say('edited', edited.hash, { was: plan.hash });
  return edited;
}

export function editPlan(plan: Plan, changes: PlanChanges, state: AgentState, parts: SessionParts): Plan {
  genuine(plan);
  const { without = [], keep = [], text = {} } = changes;
  const kept = keep.map((id) => seqOf(id, state));
  const edits = plan.edits.flatMap((edit, place): PlannedEdit[] => {
    if (without.includes(place) || kept.some((seq) => touches(edit, seq, state))) return [];
    const words = text[place];
    return [words === undefined ? edit : reworded(edit, words)];
  });
  return rejudge(inputFor(state, parts, plan.trigger), plan, edits).plan;
}

/** The view as a plan would leave it. */
function drawn(plan: Plan, { ledger, projection, ...state }: AgentState): Projection {
  genuine(plan);
  if (plan.base !== ledger.head) {
    throw new SpillwayError('LEDGER_CONFLICT', {
      subject: 'plan base',
      found: plan.base,
      allowed: ledger.head,
      remedy:
        'Plan again, or let `edit(plan)` judge it anew on the ledger of now: that gives it another hash.',
      retryable: true,
    });
  }
  for (const edit of plan.edits) for (const id of namesOf(edit)) seqOf(id, { ledger, projection, ...state });
  const draft = projection.fork();
  draft.apply(plan.edits);
  return draft;
}

/** A plan is its content: one that was changed by hand is another plan, which nobody has judged. */
function genuine(plan: Plan): void {
  const { hash, ...rest } = plan;
  if (hashPlan(rest) === hash) return;
  throw new SpillwayError('PLAN_ALTERED', {
    subject: 'plan',
    found: hash,
    remedy: 'Change plans with `edit`, which judges and measures them again.',
  });
}

const namesOf = (edit: PlannedEdit): readonly string[] =>
  edit.kind === 'replace' ? [edit.messageId] : [edit.fromId, edit.toId];

function seqOf(id: string, { log }: AgentState): number {
  const message = log.find(id);
  if (message) return message.seq;
  throw new SpillwayError('MESSAGE_UNKNOWN', {
    subject: 'message of a plan',
    found: id,
    remedy: 'Use plans in the session they were made for.',
  });
}

function touches(edit: PlannedEdit, seq: number, state: AgentState): boolean {
  const [from = 0, to = from] = namesOf(edit).map((id) => seqOf(id, state));
  return seq >= from && seq <= to;
}

function reworded(edit: PlannedEdit, words: string): PlannedEdit {
  const content = [{ type: 'text', text: words }] as const;
  if (edit.kind === 'replace') return { ...edit, content };
  const place = edit.replacement.findIndex(({ label }) => label !== 'claims');
  const replacement = edit.replacement.map((message, i): Message => {
    return i === place ? { ...message, parts: content } : message;
  });
  return { ...edit, replacement };
}
