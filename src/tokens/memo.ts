import type { TokenCounter } from '../spi/index.js';
import type { Message, Part, Steps } from '../transcript/index.js';
import { countOf } from './measure.js';

/** A longer text belongs to a message, which is counted only once anyway. */
const MAX_TEXT_CHARS = 65_536;

/** Characters of all texts together: about as many bytes. */
const MAX_CHARS = 2_000_000;

/**
 * A counter that remembers texts of drafts: planning writes the same stubs and lines in every run, and counting them
 * again was half of its time. At its limit it starts over, which is cheaper than tracking age.
 */
export function memoised(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  let chars = 0;
  return {
    name: counter.name,
    exact: counter.exact,
    count(text) {
      if (text.length > MAX_TEXT_CHARS) return countOf(counter, text);
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = countOf(counter, text);
      chars += text.length;
      if (chars > MAX_CHARS) {
        known.clear();
        chars = text.length;
      }
      known.set(text, tokens);
      return tokens;
    },
  };
}

/** Longest text that is counted without a pause. */
const BLOCK_CHARS = 65_536;
/** Characters between two pauses: 11 ms in the slowest encoding. A block that ends in a word may be a token off. */
const STEP_CHARS = 16_384;

/** A counter with the long texts of a message counted in advance, block by block. */
interface CountedAhead {
  readonly counter: TokenCounter;
  /** Counts the long texts of the message that is measured next. */
  ahead(message: Message): Steps<void>;
}

export function countedAhead(given: TokenCounter): CountedAhead {
  let known: ReadonlyMap<string, number> = new Map();
  return {
    counter: {
      name: given.name,
      exact: given.exact,
      count: (text) => (text.length > BLOCK_CHARS ? known.get(text) : undefined) ?? given.count(text),
    },
    *ahead({ parts }) {
      const counted = new Map<string, number>();
      for (const text of textsOf(parts)) {
        if (text.length <= BLOCK_CHARS) continue;
        let tokens = 0;
        for (let at = 0, end = 0; at < text.length; at = end) {
          // Ends a block at a space, where words end: the counts of both sides then add up.
          const space = at + text.slice(at, at + STEP_CHARS + 1).lastIndexOf(' ');
          end = at + STEP_CHARS < text.length && space > at ? space : at + STEP_CHARS;
          tokens += countOf(given, text.slice(at, end));
          yield;
        }
        counted.set(text, tokens);
      }
      known = counted;
    },
  };
}

function* textsOf(parts: readonly Part[]): Iterable<string> {
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') yield part.text;
    else if (part.type === 'tool-call') yield part.arguments;
    else if (part.type === 'tool-result') yield* textsOf(part.content);
  }
}
