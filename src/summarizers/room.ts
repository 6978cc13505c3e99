import { userWordsIn } from '../text/reading/index.js';
import { DEFAULT_WINDOW } from '../tokens/index.js';
import type { LogMessage } from '../transcript/index.js';
import { Refused } from './call.js';
import type { Chunk } from './chunks.js';
import { newestRoom } from './source.js';
import type { AskParts } from './write.js';

/** What our counts may be off by. */
const WINDOW_SHARE = 0.8;
/** What stands between the texts of a request, in tokens. */
const FRAME_TOKENS = 100;
/** Smaller pieces say nothing. Of a small window it is this share. */
const LEAST_CHUNK = 200;
const LEAST_SHARE = 0.1;
/** Of a small window an answer takes at most this: it stands in it twice, as the record so far and as what is written. */
const ANSWER_SHARE = 0.15;
/** No sentence fits in less. In tokens. */
const LEAST_ANSWER = 12;
/** Longer answers repeat themselves, and many models write no longer ones. In tokens. */
const LONGEST_ANSWER = 8_000;
/** Of what a model writes at most: its counts are not ours. */
const OUTPUT_SHARE = 0.9;

export const windowOf = ({ summarizer }: AskParts): number => summarizer.window ?? DEFAULT_WINDOW;

/** Longest answer that is asked for, of what its slot allows. In tokens. */
export function answerWithin(parts: AskParts, allowance: number): number {
  const { outputLimit = Infinity } = parts.summarizer;
  const answer = Math.min(ANSWER_SHARE * windowOf(parts), OUTPUT_SHARE * outputLimit, LONGEST_ANSWER);
  const maxTokens = Math.min(allowance, Math.floor(answer));
  if (maxTokens < LEAST_ANSWER) throw new Refused('would not fit behind its mark');
  return maxTokens;
}

/** What the longer one of the prompts that may be asked with takes. */
export function promptTokens({ prompts, count }: AskParts, name: string, isSpan: boolean): number {
  const asking = (isSpan ? [name, 'merge'] : [name]).map((one) => prompts.of(one));
  return Math.max(...asking.map(({ system, instruction }) => count(system) + count(instruction)));
}

/** Tokens of the source that one request holds beside what else is taken of the window. */
export function chunkWithin(window: number, taken: number, attempt: number): number {
  const free = WINDOW_SHARE * window - FRAME_TOKENS - taken - newestRoom(window);
  const room = free / 2 ** (attempt - 1);
  return Math.floor(Math.max(Math.min(LEAST_CHUNK, LEAST_SHARE * window), room));
}

/** The user's words are of a denser script than what is read where they have so much fewer characters a token. */
const OTHER_SCRIPT = 0.6;
/** Of the user's words, the newest; of fewer nothing is known. In characters. */
const SAMPLE_CHARS = 8_000;
const LEAST_SAMPLE = 50;

/**
 * Characters that so many tokens hold, as those of the source do; as the user's words where the record's language takes
 * far more tokens than the code and output that it is about. Models count characters better than tokens that are not theirs.
 */
export function charsFor(
  maxTokens: number,
  sources: readonly Pick<Chunk, 'text' | 'tokens'>[],
  users: readonly LogMessage[],
  count: (text: string) => number,
): number {
  const chars = sources.reduce((total, { text }) => total + text.length, 0);
  const tokens = sources.reduce((total, source) => total + source.tokens, 0);
  const ofSource = chars / Math.max(1, tokens);
  const sample = users
    .map((message) => userWordsIn(message))
    .join('\n')
    .slice(-SAMPLE_CHARS);
  const ofUser = sample.length < LEAST_SAMPLE ? Infinity : sample.length / Math.max(1, count(sample));
  return Math.floor(maxTokens * (ofUser < OTHER_SCRIPT * ofSource ? ofUser : ofSource));
}
