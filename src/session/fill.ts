import { planRun, refill, withoutUnfilled, type Planned, type RunInput } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { CompactionRecord, ModelCall } from '../transcript/index.js';
import { SOURCE_TOO_LONG } from './warnings.js';
import type { SessionParts } from './session-parts.js';

/** What a plan became when its slots were filled, and what was asked for it. */
export interface Filling {
  readonly outcome: Planned;
  readonly bought: Required<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'warnings'>>;
}

export const hasSlots = ({ plan }: Planned): boolean => plan.edits.some((edit) => edit.slot);

/** Buys text for a plan that is legal without it. Where that does not help, the plan stands as it was. Never rejects. */
export async function fillPlan(
  input: RunInput,
  outcome: Planned,
  filler: Filler,
  { costs, stream }: Pick<SessionParts, 'costs' | 'stream'>,
  signal: AbortSignal | undefined,
): Promise<Filling> {
  const calls: ModelCall[] = [];
  const { edits } = outcome.plan;
  const { texts, fallbacks, isTooLong } = await filler.fill({
    edits,
    log: input.source.log,
    isPinned: input.source.isPinned,
    view: input.projection.view,
    redact: input.source.secrets?.redact,
    signal,
    onCall: (call) => {
      calls.push(call);
      costs.addCall(call);
      stream.emit({ kind: 'model-call', call });
    },
  });
  const reasons = [...fallbacks];
  const needed = new Map([...texts].filter(([place]) => !edits[place]!.slot!.grows));
  let refilled = texts.size > 0 ? refill(input, outcome, texts) : undefined;
  if (!refilled && needed.size < texts.size) {
    reasons.push('longer texts: with them the plan would not fit, or not be worth it');
    refilled = needed.size > 0 ? refill(input, outcome, needed) : undefined;
  }
  if (needed.size > 0 && !refilled)
    reasons.push('all: with the bought text the plan would not fit, or not be worth it');
  for (const place of refilled?.refused ?? [])
    reasons.push(`${edits[place]!.slot!.prompt}: the bought text would not shrink the view`);
  const bought = { calls, fallbacks: reasons, warnings: isTooLong ? [SOURCE_TOO_LONG] : [] };
  const isMissing = edits.some(
    ({ kind, slot }, place) => kind === 'supersede' && slot && !slot.grows && !texts.has(place),
  );
  const dropped = input.policy.dropsOnFailure && isMissing ? droppedInstead(input) : undefined;
  if (dropped) reasons.push('all: dropped, oldest first, since a summary could not be had');
  return { outcome: withoutUnfilled(input, dropped ?? refilled?.outcome ?? outcome), bought };
}

/** The same run without summaries; undefined where that comes to nothing. */
function droppedInstead(input: RunInput): Planned | undefined {
  const outcome = planRun({ ...input, policy: { ...input.policy, leaveSpans: true } });
  return outcome.kind === 'planned' ? outcome : undefined;
}
