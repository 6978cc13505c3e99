import type { TranscriptView, ViewExchange } from '../spi/index.js';
import type { Edit } from '../transcript/index.js';
import type { RunDraft, Excess } from './draft.js';
import { cutPins, dropOldest, FIT_RIGHTS, isSummary, shrinkFresh } from './fit.js';
import { freshMedia, pinnedMedia } from './fit-media.js';
import { withRoomForClaims } from './room.js';
import type { Policy } from './policy.js';
import { PIPELINE_STEPS } from './steps.js';

interface DropParts {
  readonly policy: Policy;
  readonly count: (text: string) => number;
}

/** The strategy: what is above the target goes, oldest first; what a summary says only where nothing else can. */
export function dropToTarget(draft: RunDraft, { policy, count }: DropParts, claimsSpace: number): void {
  const drop = (isKept?: (exchange: ViewExchange) => boolean): void => {
    const need = needOf(draft, policy.target, claimsSpace);
    if (need.tokens > 0 || need.bytes > 0 || need.images > 0)
      draft.step(
        PIPELINE_STEPS.drop,
        draft.reading.pressure > 1 ? 1 : 0,
        (view) => dropOldest(view, need, count, isKept),
        FIT_RIGHTS,
      );
  };
  drop(isSummary);
  drop();
}

function needOf(draft: RunDraft, target: number, claimsSpace: number): Excess {
  const excess = draft.excess(target);
  const { byTokens, pressure } = draft.reading;
  return byTokens < pressure ? excess : { ...excess, tokens: withRoomForClaims(draft, target, claimsSpace) };
}

/** Below every stage: oldest first, then fresh results and pins down to whatever size fits; pictures of pins last. */
export function dropToFit(draft: RunDraft, input: DropParts, claimsSpace: number): void {
  const { policy, count } = input;
  dropToTarget(draft, input, claimsSpace);
  const steps: readonly (readonly [step: string, propose: (view: TranscriptView) => readonly Edit[]])[] = [
    [PIPELINE_STEPS.fresh, (view) => freshMedia(view, draft.excess(1))],
    [PIPELINE_STEPS.fresh, (view) => shrinkFresh(view, draft.reclaim(1), count)],
    [
      PIPELINE_STEPS.pins,
      (view) => cutPins(view, Math.max(0, draft.share(policy.shares.pins) - draft.reclaim(1)), count),
    ],
    [PIPELINE_STEPS.pins, (view) => pinnedMedia(view, draft.excess(1))],
  ];
  for (const [step, propose] of steps)
    if (draft.reading.pressure > 1) draft.step(step, 1, propose, FIT_RIGHTS);
}
