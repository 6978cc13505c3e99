import { freshTokens, FULL_ENOUGH, LITTLE_STANDING, pinnedTokens } from '../spi/index.js';
import type { Floor } from '../transcript/index.js';
import { claimsTokens } from './carry.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { Policy } from './policy.js';
import type { Room } from './regrow.js';
import { standingTokens } from './summaries-in-view.js';

/** How much of a budget claims and digests may take, beside what stays. All in counted tokens. */

/** Most that claims may take of what pins and open work leave of a budget. */
const CLAIMS_OF_ROOM = 0.5;

export function claimsRoom(draft: RunDraft, { shares }: Policy, floor: Floor): number {
  const { budget, scale } = draft.reading;
  const room = Math.max(0, tokensOf(budget) / scale - floor.total);
  const { claims, maxClaimsTokens } = shares;
  return Math.floor(Math.min(draft.share(claims), maxClaimsTokens, CLAIMS_OF_ROOM * room));
}

/** What claims may yet grow by: few that stand use more than so much of their room. */
function growthOfClaims(draft: RunDraft, room: number): number {
  return Math.max(0, CLAIMS_USE * room - claimsTokens(draft.projection.view));
}

const CLAIMS_USE = 0.6;

/** Of the budget: digests that take less together say too little of what they stand for; beside pins and fresh output they may pass the target. */
const MIN_DIGESTS = 0.22;

/** Claims stand already: what is left up to the target is the digests'. `most`: pressure that keeps the run worth it. */
export function roomForDigests(draft: RunDraft, { target, leaveSpans }: Policy, most: number): Room {
  const { tokens, budget, scale, byTokens, pressure } = draft.reading;
  // Where bytes or images bind, words are not to grow; where nobody summarises, nothing is said of what was dropped.
  if (leaveSpans || byTokens < pressure) return { free: 0, forSqueezed: 0 };
  const upTo = (pressure: number): number => Math.floor((pressure * tokensOf(budget) - tokens) / scale);
  const missing = draft.share(MIN_DIGESTS) - standingTokens(draft.view);
  const standing = pinnedTokens(draft.view) + freshTokens(draft.view) - draft.share(LITTLE_STANDING);
  const beyond = Math.min(upTo(Math.min(FULL_ENOUGH, most)), missing, standing);
  return { free: upTo(Math.min(target, most)), forSqueezed: Math.floor(beyond) };
}

/** What has to be reclaimed so that the target holds with what claims may grow by. */
export function withRoomForClaims(draft: RunDraft, target: number, room: number): number {
  const reclaim = draft.reclaim(target);
  // Where only bytes or images bind, claims have room.
  if (reclaim === 0 || draft.reading.byTokens <= target) return reclaim;
  return reclaim + growthOfClaims(draft, room);
}
