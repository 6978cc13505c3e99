import type { ViewExchange } from '../spi/index.js';
import type { Draft } from './draft.js';
import { cutPins, dropOldest, FIT_RIGHTS, isSummary, shrinkFresh } from './fit.js';
import { withRoomForClaims } from './room.js';
import type { Policy } from './policy.js';

interface DropParts {
  readonly policy: Policy;
  readonly count: (text: string) => number;
}

/** The strategy: what is above the target goes, oldest first; what a summary says only where nothing else can. */
export function dropToTarget(draft: Draft, { policy, count }: DropParts, claimsSpace: number): void {
  const drop = (isKept?: (exchange: ViewExchange) => boolean): void => {
    const need = withRoomForClaims(draft, policy.target, claimsSpace);
    if (need > 0)
      draft.step(
        'drop',
        draft.reading.pressure > 1 ? 1 : 0,
        (view) => dropOldest(view, need, count, isKept),
        FIT_RIGHTS,
      );
  };
  drop(isSummary);
  drop();
}

/** Below every stage: oldest first, then fresh results and pins down to whatever size fits. */
export function dropToFit(draft: Draft, input: DropParts, claimsSpace: number): void {
  const { policy, count } = input;
  dropToTarget(draft, input, claimsSpace);
  if (draft.reading.pressure <= 1) return;
  draft.step('fresh', 1, (view) => shrinkFresh(view, draft.reclaim(1), count), FIT_RIGHTS);
  if (draft.reading.pressure <= 1) return;
  const least = Math.max(0, draft.share(policy.shares.pins) - draft.reclaim(1));
  draft.step('pins', 1, (view) => cutPins(view, least, count), FIT_RIGHTS);
}
