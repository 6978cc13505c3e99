import { PIPELINE_STEPS, type RunInput, type RunOutcome } from '../pipeline/index.js';
import { endsOf, type Hold, type PlannedEdit, type ReadonlyLog, type Warning } from '../transcript/index.js';
import { whenReady } from './slices.js';

/* What is compacted if nothing else makes a request fit: spans that an undo holds, then unread messages. */

export const HOLDS_RELEASED: Warning = {
  code: 'holds-gave-way',
  message:
    'A span that an undo held did not fit into the request: it was compacted again, and all holds were released. Raise the budget before you undo.',
};

export const UNREAD_COMPACTED: Warning = {
  code: 'unread-gave-way',
  message:
    'The messages since the last answer did not fit into the request: all but the newest of the user were compacted unread.',
};

/** The outcome of a run, and the input it was planned on. */
export interface Drafted {
  readonly input: RunInput;
  readonly outcome: RunOutcome;
}

type Draft = (input: RunInput) => RunOutcome | Promise<RunOutcome>;

/**
 * The outcome of a run. If the run is stuck, it is planned again without the holds, and then without the protection of
 * messages that piled up while no call was answered: the client sends them every time, so no later call would fit.
 */
export function relaxIfStuck(input: RunInput, outcome: RunOutcome, draft: Draft): Drafted | Promise<Drafted> {
  const { holds, log } = input.source;
  const isUnreachable = outcome.kind === 'unreachable';
  const isStuck = isUnreachable || (outcome.kind === 'noop' && input.refused === true);
  const withoutHolds = isStuck && holds.length > 0 ? { holds: [] } : undefined;
  const hasUnread = isUnreachable && (log.unansweredUser?.seq ?? 0) > log.unseenFrom;
  return whenReady(orElse({ input, outcome }, withoutHolds, draft), (drafted) => {
    if (drafted.outcome.kind === 'planned' || !hasUnread) return drafted;
    return orElse(drafted, { ...withoutHolds, compactsUnread: true }, draft);
  });
}

/** The given outcome or, if the changed source makes a plan possible, that plan. */
function orElse(
  drafted: Drafted,
  source: Partial<RunInput['source']> | undefined,
  draft: Draft,
): Drafted | Promise<Drafted> {
  if (!source) return drafted;
  const input = { ...drafted.input, source: { ...drafted.input.source, ...source } };
  return whenReady(draft(input), (outcome) => (outcome.kind === 'planned' ? { input, outcome } : drafted));
}

/** Whether a plan replaces a message of the user that came in since the last answer. */
export function replacesUnread(edits: readonly PlannedEdit[], log: ReadonlyLog): boolean {
  return edits.some((edit) => {
    if (edit.kind !== 'supersede') return false;
    const [first, last] = endsOf(edit).map((id) => log.find(id)?.seq ?? -1) as [number, number];
    const unread = log.between(Math.max(first, log.unseenFrom), last);
    return unread.some(({ role, origin }) => role === 'user' && origin !== 'synthetic');
  });
}

/** Whether a plan changes a held span. Removal of reasoning with a void signature does not count. */
export function editsHeld(edits: readonly PlannedEdit[], holds: readonly Hold[], log: ReadonlyLog): boolean {
  if (holds.length === 0) return false;
  return edits.some((edit) => {
    if (edit.stage === PIPELINE_STEPS.signatures) return false;
    const [first, last] = endsOf(edit);
    // An edit of messages that were rolled back meanwhile touches no hold.
    const [from, to] = [log.find(first)?.seq ?? Infinity, log.find(last)?.seq ?? -1];
    return holds.some((hold) => from <= hold.to && to >= hold.from);
  });
}
