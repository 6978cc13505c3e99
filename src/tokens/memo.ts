import type { TokenCounter } from '../spi/index.js';

/** Stubs, notices and outlines are short; a long text is a message, which is counted once anyway. */
const MOST_CHARS = 8_192;

/** About 4 MB at the usual length of a stub. */
const MOST_TEXTS = 20_000;

/**
 * Remembers short texts: planning writes the same stubs and lines run after run, and counting them again was half of
 * its time. Grows, then starts over, which is cheaper than keeping track of age.
 */
export function memoised(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    name: counter.name,
    exact: counter.exact,
    count(text) {
      if (text.length > MOST_CHARS) return counter.count(text);
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = counter.count(text);
      if (known.size >= MOST_TEXTS) known.clear();
      known.set(text, tokens);
      return tokens;
    },
  };
}
