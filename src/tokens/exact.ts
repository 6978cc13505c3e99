import type { TokenCounter } from '../spi/index.js';
import { cutRun, LONGEST_CUT_BYTES, MAX_RUN_CHARS } from './long-run.js';
import { Merging } from './merge.js';
import { PieceTable } from './piece-table.js';
import { endOfPiece } from './pieces.js';
import { loadRanks, type Encoding } from './ranks.js';
import { NO_RANK, Vocabulary } from './vocabulary.js';

/** Longer pieces are data: they do not come again. */
const LONGEST_PIECE = 128;

/** The splitting pattern may run out of stack on one run of many million characters, so none ever meets it. */
const MAX_BLOCK_CHARS = 1_000_000;

const ASCII_END = 0x80;

/**
 * A counter that agrees with the provider's own tokenizer. Loads one encoding, so ask for it only when something is to
 * be counted. Counting never throws and takes time linear in the text, runs without a break included; there alone it
 * may differ, by a token or two for each 512 bytes of the run. Text may speak of `<|endoftext|>`; it is counted as the
 * plain characters it is.
 *
 * Vocabulary and splitting patterns are the library's. Its own counting keeps 200,000 strings in a Map and makes
 * strings, arrays and decoders for each word: 65 MB, and a third of the time of a whole compaction. Here words are bytes
 * in one buffer, and before them comes the table of pieces, which counts text that was met before.
 */
export async function createExactCounter(encoding: Encoding): Promise<TokenCounter> {
  const [ranks, patterns] = await Promise.all([
    loadRanks(encoding),
    import('gpt-tokenizer/encodingParams/constants'),
  ]);
  const pattern =
    encoding === 'o200k_base' ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX;
  const nextWord = new RegExp(pattern, 'uy');
  const vocabulary = new Vocabulary(ranks);
  const merging = new Merging(vocabulary, LONGEST_CUT_BYTES);
  const bytes = new Uint8Array(LONGEST_CUT_BYTES);
  const encoder = new TextEncoder();
  /** Words with what stands around them: those that were met before need no splitting. */
  const pieces = new PieceTable();

  const countBlock = (block: string): number => {
    let tokens = 0;
    for (let start = 0, end = 0; start < block.length; start = end) {
      end = endOfPiece(block, start);
      const mayComeAgain = end - start <= LONGEST_PIECE;
      const known = mayComeAgain ? pieces.find(block, start, end) : -1;
      const taken = known >= 0 ? known : countPiece(block, start, end);
      if (mayComeAgain && known < 0) pieces.enter(taken);
      tokens += taken;
    }
    return tokens;
  };

  const countPiece = (block: string, start: number, end: number): number => {
    let tokens = 0;
    for (let at = start; at < end; at = nextWord.lastIndex) {
      nextWord.lastIndex = at;
      if (!nextWord.test(block)) nextWord.lastIndex = end; // no text is known for which that happens
      tokens += countWord(block, at, nextWord.lastIndex);
    }
    return tokens;
  };

  const countWord = (block: string, from: number, to: number): number => {
    if (to - from <= MAX_RUN_CHARS) return countRun(block, from, to);
    let tokens = 0;
    let before = '';
    let taken = 0;
    for (const run of cutRun(block.slice(from, to))) {
      // Rules and indents repeat one character, and so one run.
      if (run !== before) taken = countRun(run, 0, run.length);
      before = run;
      tokens += taken;
    }
    return tokens;
  };

  const countRun = (text: string, from: number, to: number): number => {
    const length = write(text, from, to);
    return vocabulary.rankOf(bytes, 0, length) === NO_RANK ? merging.count(bytes, length) : 1;
  };

  /** The run as UTF-8 at the front of `bytes`; half a surrogate pair becomes U+FFFD. Says how many bytes. */
  const write = (text: string, from: number, to: number): number => {
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= ASCII_END) return encoder.encodeInto(text.slice(from, to), bytes).written;
      bytes[at - from] = unit;
    }
    return to - from;
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
