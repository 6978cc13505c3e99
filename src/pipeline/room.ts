import type { Size } from '../transcript/index.js';
import { freshTokens, FULL_ENOUGH, LITTLE_STANDING, pinnedTokens } from '../spi/index.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { Room } from './regrow.js';
import { standingTokens } from './summaries-in-view.js';
import { stillWorth } from './worth.js';

/** Of the budget: digests that take less together say too little of what they stand for; beside pins and fresh output they may pass the target. */
const MIN_DIGESTS = 0.22;
/** Less than this leaves no room for the user's own words: where what stays is above the target, digests go beyond it so far. */
const LEAST_DIGESTS = 0.08;

/** What is left up to the target is the digests', as far as the run stays worth it. */
export function roomForDigests(draft: RunDraft): Room {
  const { target, leaveSpans } = draft.input.policy;
  const most = stillWorth(draft);
  const { tokens, budget, scale, byTokens, pressure } = draft.reading;
  // Where bytes or images bind, words are not to grow; where nobody summarises, nothing is said of what was dropped.
  if (leaveSpans || byTokens < pressure) return { free: 0, forSqueezed: 0 };
  const upTo = (pressure: number): number => Math.floor((pressure * tokensOf(budget) - tokens) / scale);
  const missing = draft.share(MIN_DIGESTS) - standingTokens(draft.view);
  const standing = pinnedTokens(draft.view) + freshTokens(draft.view) - draft.share(LITTLE_STANDING);
  const enough = upTo(Math.min(FULL_ENOUGH, most));
  const isOver = pressure > target;
  const least = isOver ? Math.min(enough, draft.share(LEAST_DIGESTS) - standingTokens(draft.view)) : 0;
  const beyond = Math.max(least, Math.min(enough, missing, standing));
  return { free: upTo(Math.min(target, most)), forSqueezed: Math.floor(beyond) };
}

/** What has to go so that the target holds with what digests that stand may yet grow by. */
export function withRoomForDigests(draft: RunDraft, target: number): Size {
  const excess = draft.excess(target);
  const { byTokens, pressure } = draft.reading;
  const standing = standingTokens(draft.view);
  // Where bytes or images bind, words are not to grow; nor where nothing was summarised.
  if (excess.tokens === 0 || byTokens < pressure || standing === 0) return excess;
  return { ...excess, tokens: excess.tokens + Math.max(0, draft.share(LEAST_DIGESTS) - standing) };
}
