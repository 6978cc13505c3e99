import type { TokenCounter } from '../spi/index.js';
import { cutRun, MAX_RUN_CHARS, endOfPiece } from './pieces.js';
import { PieceTable } from './piece-table.js';
import { loadVocabulary, readyVocabulary } from './vocabulary.js';

/** A public encoding of OpenAI: `o200k_base` since GPT-4o, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** Text may contain `<|endoftext|>`; it is counted as plain characters. The default is to throw. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** Longer pieces are data and do not recur. */
const MAX_PIECE_CHARS = 128;

/** The splitting pattern may run out of stack on a run of many million characters, so it never gets one. */
const MAX_BLOCK_CHARS = 1_000_000;

type CountTokens = (text: string, options: typeof PLAIN_TEXT) => number;

/** Loaded encodings, for all counters of the process. */
const loadedEncodings = new Map<Encoding, CountTokens>();

/**
 * A counter that agrees with the provider's own tokenizer. The first count loads the encoding (about 100 ms and 65 MB,
 * once per process). Counting never throws and takes time linear in the text, including runs without a break; only in
 * such a run the count may differ, by a token or two per 512 bytes.
 */
export async function createExactCounter(encoding: Encoding): Promise<TokenCounter> {
  const [{ GptEncoding }, patterns] = await Promise.all([
    import('gpt-tokenizer/GptEncoding'),
    import('gpt-tokenizer/encodingParams/constants'),
    readyVocabulary(encoding),
  ]);
  const load = (): CountTokens => {
    const vocabulary = loadVocabulary(encoding);
    const api = GptEncoding.getEncodingApi(encoding, () => vocabulary);
    api.setMergeCacheSize(0);
    loadedEncodings.set(encoding, api.countTokens);
    return api.countTokens;
  };
  let countTokens: CountTokens = (text, options) => {
    countTokens = loadedEncodings.get(encoding) ?? load();
    return countTokens(text, options);
  };
  const pattern =
    encoding === 'o200k_base' ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX;
  const nextWord = new RegExp(pattern, 'uy');
  // Known pieces and words with their counts: known text is counted at 60 million characters per second, the library's
  // 6. The library's own cache deletes and re-enters a word at each hit; its map then fills with holes, and a frequent
  // word came to cost 40 microseconds.
  const pieces = new PieceTable();
  const words = new PieceTable();

  const countBlock = (block: string): number => {
    let tokens = 0;
    for (let start = 0, end = 0; start < block.length; start = end) {
      end = endOfPiece(block, start);
      const mayRecur = end - start <= MAX_PIECE_CHARS;
      const known = mayRecur ? pieces.find(block, start, end) : -1;
      const counted = known >= 0 ? known : countPiece(block, start, end);
      if (mayRecur && known < 0) pieces.enter(counted);
      tokens += counted;
    }
    return tokens;
  };

  const countPiece = (block: string, start: number, end: number): number => {
    let tokens = 0;
    for (let at = start; at < end; at = nextWord.lastIndex) {
      nextWord.lastIndex = at;
      if (!nextWord.test(block)) nextWord.lastIndex = end; // no text is known for which this happens
      tokens += countWord(block, at, nextWord.lastIndex);
    }
    return tokens;
  };

  const countWord = (block: string, from: number, to: number): number => {
    if (to - from <= MAX_RUN_CHARS) return countRun(block, from, to);
    return cutRun(block.slice(from, to)).reduce((sum, run) => sum + countRun(run, 0, run.length), 0);
  };

  const countRun = (text: string, from: number, to: number): number => {
    const known = words.find(text, from, to);
    if (known >= 0) return known;
    const tokens = countTokens(text.slice(from, to), PLAIN_TEXT);
    words.enter(tokens);
    return tokens;
  };

  return {
    name: encoding,
    exact: true,
    count(text) {
      if (text.length <= MAX_BLOCK_CHARS) return countBlock(text);
      let tokens = 0;
      for (let at = 0; at < text.length; at += MAX_BLOCK_CHARS) {
        tokens += countBlock(text.slice(at, at + MAX_BLOCK_CHARS));
      }
      return tokens;
    },
  };
}
