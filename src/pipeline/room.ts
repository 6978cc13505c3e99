import type { Size } from '../transcript/index.js';
import { freshTokens, FULL_ENOUGH, LITTLE_STANDING, pinnedTokens } from '../spi/index.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { Room } from './regrow.js';
import { summaryTokens } from './summaries-in-view.js';
import { digestLimit } from './worth.js';

/** Share of the budget that digests need to be useful; next to pins and fresh output they may exceed the target. */
const USEFUL_DIGEST_SHARE = 0.22;
/** Least share for the user's words: if the remaining content is above the target, digests may exceed it this far. */
const LEAST_DIGEST_SHARE = 0.08;

/** The room up to the target goes to the digests, as far as the run stays worth its cost. */
export function roomForDigests(draft: RunDraft): Room {
  const { target, skipsSpans } = draft.input.policy;
  const maxPressure = digestLimit(draft);
  const { tokens, budget, scale, byTokens, pressure } = draft.reading;
  // If bytes or images bind, text must not grow; if no stage summarises, no digest describes what was dropped.
  if (skipsSpans || byTokens < pressure) return { free: 0, beyondTarget: 0 };
  const upTo = (pressure: number): number => Math.floor((pressure * tokensOf(budget) - tokens) / scale);
  const missing = draft.share(USEFUL_DIGEST_SHARE) - summaryTokens(draft.view);
  const displacing = pinnedTokens(draft.view) + freshTokens(draft.view) - draft.share(LITTLE_STANDING);
  const enough = upTo(Math.min(FULL_ENOUGH, maxPressure));
  const isOver = pressure > target;
  const least = isOver ? Math.min(enough, draft.share(LEAST_DIGEST_SHARE) - summaryTokens(draft.view)) : 0;
  const beyond = Math.max(least, Math.min(enough, missing, displacing));
  return { free: upTo(Math.min(target, maxPressure)), beyondTarget: Math.floor(beyond) };
}

/** The excess over the target, increased by the room that digests in view still need. */
export function withRoomForDigests(draft: RunDraft, target: number): Size {
  const excess = draft.excess(target);
  const { byTokens, pressure } = draft.reading;
  const present = summaryTokens(draft.view);
  // Text must not grow if bytes or images bind, or if nothing was summarised.
  if (excess.tokens === 0 || byTokens < pressure || present === 0) return excess;
  return { ...excess, tokens: excess.tokens + Math.max(0, draft.share(LEAST_DIGEST_SHARE) - present) };
}
