import type { Count } from './cut.js';

/** Assumed characters per token: between English prose (4) and dense output (2.5). */
const USUAL_DENSITY = 3.2;

/**
 * Builds a text of about so many characters until it fits its tokens: a text that is too long is tried shorter, one
 * that is much too short is tried longer once. `build` must not exceed its allowance by much, and must return a shorter
 * text for fewer characters. Counting is the cost, so only built texts are counted, at most six times.
 */
export function fitText(
  build: (chars: number) => string,
  maxTokens: number,
  count: Count,
  density = USUAL_DENSITY,
): { text: string; tokens: number } | undefined {
  let chars = Math.floor(maxTokens * density);
  let best: { text: string; tokens: number } | undefined;
  for (let round = 0; round < 6; round++) {
    const text = build(chars);
    const tokens = count(text);
    if (tokens <= maxTokens) {
      const isLonger = !best || text.length > best.text.length;
      if (isLonger) best = { text, tokens };
      // A build that leaves much of its allowance has no more text.
      if (!isLonger || round >= 2 || tokens > 0.85 * maxTokens || text.length < 0.6 * chars) return best;
      chars = Math.floor(chars * Math.min(2, (0.95 * maxTokens) / Math.max(1, tokens)));
    } else {
      if (best) return best;
      chars = Math.floor(chars * Math.min(0.9, (0.95 * maxTokens) / tokens));
    }
  }
  return best;
}
