import type { Floor } from '../transcript/index.js';
import { claimsTokens } from './carry.js';
import { tokensOf, type Draft } from './draft.js';
import type { Policy } from './policy.js';
import type { Room } from './regrow.js';

/** How much of a budget claims and digests may take, beside what stays. All in counted tokens. */

/** Most that claims may take of what pins and open work leave of a budget. */
const CLAIMS_OF_ROOM = 0.5;

export function claimsRoom(draft: Draft, { shares }: Policy, floor: Floor): number {
  const { budget, scale } = draft.reading;
  const room = Math.max(0, tokensOf(budget) / scale - floor.total);
  const { claims, maxClaimsTokens } = shares;
  return Math.floor(Math.min(draft.share(claims), maxClaimsTokens, CLAIMS_OF_ROOM * room));
}

/** What claims may yet grow by: few that stand use more than so much of their room. */
export function growthOfClaims(draft: Draft, room: number): number {
  return Math.max(0, CLAIMS_USE * room - claimsTokens(draft.projection.view));
}

const CLAIMS_USE = 0.6;

/** Of the budget: what digests that say next to nothing may take beyond the target, and how far they may fill a request. */
const SQUEEZED_SHARE = 0.06;
const FULL_ENOUGH = 0.72;

export function roomForDigests(draft: Draft, { target, leaveSpans }: Policy, forClaims: number): Room {
  const { tokens, budget, scale, byTokens, pressure } = draft.reading;
  // Where bytes or images bind, words are not to grow; where nobody summarises, nothing is said of what was dropped.
  if (leaveSpans || byTokens < pressure) return { free: 0, forSqueezed: 0 };
  const claims = growthOfClaims(draft, forClaims);
  const upTo = (pressure: number): number =>
    Math.floor((pressure * tokensOf(budget) - tokens) / scale - claims);
  return { free: upTo(target), forSqueezed: Math.min(upTo(FULL_ENOUGH), draft.share(SQUEEZED_SHARE)) };
}

/** What has to be reclaimed so that the target holds with what claims may grow by. */
export function withRoomForClaims(draft: Draft, target: number, room: number): number {
  const reclaim = draft.reclaim(target);
  // Where only bytes or images bind, claims have room.
  if (reclaim === 0 || draft.reading.byTokens <= target) return reclaim;
  return reclaim + growthOfClaims(draft, room);
}
