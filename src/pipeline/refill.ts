import type { Edit, Plan } from '../transcript/index.js';
import { RunDraft } from './draft.js';
import { hashPlan } from './hash.js';
import { measureEdit } from './measure.js';
import { claimsRoom } from './room.js';
import { gainOf } from './proposal.js';
import { carry, type RunInput, type RunOutcome } from './run.js';
import { leastGain } from './worth.js';
import { joinReasoning, settleSignatures } from './signed.js';
import { survivors } from './survivors.js';

export type Planned = Extract<RunOutcome, { kind: 'planned' }>;

export interface Refilled {
  readonly outcome: Planned;
  /** Places in the plan whose new text did not shrink the view and was left out. */
  readonly refused: readonly number[];
}

/**
 * The same plan with other words in its slots, by place in `plan.edits`: measured again, claims carried again for what
 * the new words leave out, hashed again. A slot that grows was given its room when it was planned. Undefined where the
 * plan no longer fits, or no longer earns what it costs.
 */
export function refill(
  input: RunInput,
  { plan, states, stageMs }: Planned,
  texts: ReadonlyMap<number, Edit>,
): Refilled | undefined {
  const { log, isPinned } = input.source;
  const refused: number[] = [];
  let projection = input.projection.fork();
  const edits = plan.edits.map((edit, place) => {
    const text = texts.get(place);
    if (text) {
      const filled = measureEdit(text, edit.stage, log, input.measure, input.source);
      const trial = projection.fork();
      trial.apply([filled]);
      if (edit.slot?.grows || trial.size.tokens < projection.size.tokens) {
        projection = trial;
        return filled;
      }
      refused.push(place);
    }
    projection.apply([edit]);
    return edit;
  });

  const draft = new RunDraft({ ...input, projection });
  carry(draft, input, claimsRoom(draft, input.policy, plan.floor));
  settleSignatures(draft, input, edits);
  const before = input.read(input.projection);
  const { reading: after } = draft;
  if (after.pressure > 1) return undefined;
  if (before.pressure <= 1 && gainOf(before, after) < leastGain(input)) return undefined;

  const reasoning = joinReasoning(plan.reasoning, draft.reasoning);
  const { hash: _, ...unfilled } = plan;
  const filled: Omit<Plan, 'hash'> = {
    ...unfilled,
    edits: survivors([...edits, ...draft.edits], log, isPinned),
    after: draft.projection.size,
    ...(reasoning && { reasoning }),
  };
  return {
    outcome: {
      kind: 'planned',
      plan: { ...filled, hash: hashPlan(filled) },
      draft: draft.projection,
      after,
      states,
      stageMs,
    },
    refused,
  };
}
