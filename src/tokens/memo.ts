import type { TokenCounter } from '../spi/index.js';

/** A longer text is a message, which is counted once anyway. */
const LONGEST_CHARS = 65_536;

/** Of all texts together: about as many bytes. */
const MOST_CHARS = 2_000_000;

/**
 * Remembers texts of drafts: planning writes the same stubs and lines run after run, and counting them again was half of
 * its time. Grows, then starts over, which is cheaper than keeping track of age.
 */
export function memoised(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  let chars = 0;
  return {
    name: counter.name,
    exact: counter.exact,
    count(text) {
      if (text.length > LONGEST_CHARS) return counter.count(text);
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = counter.count(text);
      chars += text.length;
      if (chars > MOST_CHARS) {
        known.clear();
        chars = text.length;
      }
      known.set(text, tokens);
      return tokens;
    },
  };
}
