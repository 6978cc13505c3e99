import { Draft } from './draft.js';
import { computeFloor } from './floor.js';
import { planned, type RunInput, type RunOutcome } from './run.js';
import { settleSignatures, signaturesAreDue } from './signed.js';

/**
 * Plans the settling of reasoning whose tool loop is over since: at once, for a provider that checks would refuse the
 * next request. Undefined where there is nothing of the kind.
 */
export function planSignatures(input: RunInput): RunOutcome | undefined {
  if (!input.left?.length) return undefined;
  const draft = new Draft(input);
  if (!signaturesAreDue(draft.view, input)) return undefined;
  const before = draft.reading;
  const floor = computeFloor(draft.view.exchanges, input.fixed.tokens, draft.share(input.policy.shares.pins));
  settleSignatures(draft, input);
  if (draft.edits.length === 0) return undefined;
  return planned(draft, input, before, floor, input.states);
}
