import type { TokenCounter } from '../spi/index.js';
import { cutRun, MAX_RUN_CHARS } from './long-run.js';
import { PieceTable } from './piece-table.js';
import { endOfPiece } from './pieces.js';

/** A public encoding of OpenAI's: `o200k_base` since GPT-4o, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base';

const LOADERS = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

/** Text may speak of `<|endoftext|>`; it is counted as the plain characters it is. The default is to throw. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Words remembered with their counts. The library's own memory is a least-recently-used map that deletes and re-enters
 * a word at each hit; holes pile up in the map's chains, and a word repeated often came to cost 40 microseconds.
 * Ours only grows until it is dropped whole, and sees every word and not only those that need merging. Before it comes
 * the table of pieces: text that was met before is counted at 60 million characters a second, the library's 6.
 */
const MAX_WORDS = 100_000;

/** Longer pieces are data: they do not come again. */
const LONGEST_PIECE = 128;

/** A remembered word is a slice that keeps its whole text alive: 200 texts of 0.5 MB held 100 MB. So forget in time. */
const FORGET_AFTER_CHARS = 8_000_000;

/** The splitting pattern may run out of stack on one run of many million characters, so none ever meets it. */
const MAX_BLOCK_CHARS = 1_000_000;

/**
 * A counter that agrees with the provider's own tokenizer. Loads one encoding (about 170 ms, 65 MB), so ask for it
 * only when something is to be counted. Counting never throws and takes time linear in the text, runs without a
 * break included; there alone it may differ, by a token or two for each 512 bytes of the run.
 */
export async function createExactCounter(encoding: Encoding): Promise<TokenCounter> {
  const [{ countTokens, setMergeCacheSize }, patterns] = await Promise.all([
    LOADERS[encoding](),
    import('gpt-tokenizer/encodingParams/constants'),
  ]);
  setMergeCacheSize(0);
  const pattern =
    encoding === 'o200k_base' ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX;
  const split = new RegExp(pattern);
  const words = new Map<string, number>();
  /** Words with what stands around them: those that were met before need no splitting. */
  const pieces = new PieceTable();
  let charsSince = 0;

  const countNew = (word: string): number => {
    if (word.length > MAX_RUN_CHARS) {
      const runs = cutRun(word);
      if (runs.length > 1) return runs.reduce((sum, run) => sum + countWord(run), 0);
    }
    return countWord(word);
  };

  const countWord = (word: string): number => {
    const known = words.get(word);
    if (known !== undefined) return known;
    const tokens = countTokens(word, PLAIN);
    if (words.size >= MAX_WORDS) words.clear();
    words.set(word, tokens);
    return tokens;
  };

  const countBlock = (block: string): number => {
    charsSince += block.length;
    if (charsSince > FORGET_AFTER_CHARS) {
      words.clear();
      charsSince = block.length;
    }
    let tokens = 0;
    for (let start = 0, end = 0; start < block.length; start = end) {
      end = endOfPiece(block, start);
      const isWord = end - start <= LONGEST_PIECE;
      const known = isWord ? pieces.find(block, start, end) : -1;
      const taken = known >= 0 ? known : countPiece(block.slice(start, end));
      if (isWord && known < 0) pieces.enter(taken);
      tokens += taken;
    }
    return tokens;
  };

  const countPiece = (piece: string): number => {
    split.lastIndex = 0;
    let tokens = 0;
    for (let match = split.exec(piece); match !== null; match = split.exec(piece)) {
      tokens += words.get(match[0]) ?? countNew(match[0]);
    }
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
