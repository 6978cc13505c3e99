import { userWordsIn } from '../text/reading/index.js';
import { DEFAULT_WINDOW } from '../tokens/index.js';
import type { LogMessage } from '../transcript/index.js';
import { Refused } from './call.js';
import type { Chunk } from './chunks.js';
import { newestRoom } from './source.js';
import type { AskParts } from './write.js';

/** The share of a window that is used, because our counts may be wrong. */
const WINDOW_SHARE = 0.8;
/** The text between the parts of a request, in tokens. */
const FRAME_TOKENS = 100;
/** The smallest useful piece, in tokens; in a small window, this share of the window. */
const MIN_CHUNK = 200;
const MIN_SHARE = 0.1;
/** An answer's largest share of a small window, which contains it twice: as the record so far and as the new text. */
const ANSWER_SHARE = 0.15;
/** No sentence fits into fewer tokens. */
const MIN_ANSWER = 12;
/** Longer answers repeat themselves, and many models never write longer ones. In tokens. */
const MAX_ANSWER_TOKENS = 8_000;
/** The share of a model's output limit that is requested, because its counts differ from ours. */
const OUTPUT_SHARE = 0.9;

export const windowOf = ({ summarizer }: AskParts): number => summarizer.window ?? DEFAULT_WINDOW;

/** The longest answer to request, within the slot's allowance. In tokens. */
export function answerWithin(parts: AskParts, allowance: number): number {
  const { outputLimit = Infinity } = parts.summarizer;
  const answer = Math.min(ANSWER_SHARE * windowOf(parts), OUTPUT_SHARE * outputLimit, MAX_ANSWER_TOKENS);
  const maxTokens = Math.min(allowance, Math.floor(answer));
  if (maxTokens < MIN_ANSWER) throw new Refused('would not fit behind its mark');
  return maxTokens;
}

/** The tokens of the longest prompt that the slot may use. */
export function promptTokens({ prompts, count }: AskParts, name: string, isSpan: boolean): number {
  const asking = (isSpan ? [name, 'merge'] : [name]).map((one) => prompts.of(one));
  return Math.max(...asking.map(({ system, instruction }) => count(system) + count(instruction)));
}

/** The tokens of the source in one request, next to the tokens that are taken in the window. */
export function chunkWithin(window: number, takenTokens: number, attempt: number): number {
  const free = WINDOW_SHARE * window - FRAME_TOKENS - takenTokens - newestRoom(window);
  const room = free / 2 ** (attempt - 1);
  return Math.floor(Math.max(Math.min(MIN_CHUNK, MIN_SHARE * window), room));
}

/** If the user's words have less than this share of the source's characters per token, their script is denser. */
const OTHER_SCRIPT = 0.6;
/** The newest of the user's words that are sampled, and the least that is enough. In characters. */
const SAMPLE_CHARS = 8_000;
const MIN_SAMPLE = 50;

/**
 * The characters of this many tokens, at the source's density; at that of the user's words if the record's language
 * takes far more tokens than the code and output it describes. Models count characters better than foreign tokens.
 */
export function charsFor(
  maxTokens: number,
  sources: readonly Pick<Chunk, 'text' | 'tokens'>[],
  users: readonly LogMessage[],
  count: (text: string) => number,
): number {
  const chars = sources.reduce((total, { text }) => total + text.length, 0);
  const tokens = sources.reduce((total, source) => total + source.tokens, 0);
  const sourceDensity = chars / Math.max(1, tokens);
  const sample = users
    .map((message) => userWordsIn(message))
    .join('\n')
    .slice(-SAMPLE_CHARS);
  const userDensity = sample.length < MIN_SAMPLE ? Infinity : sample.length / Math.max(1, count(sample));
  return Math.floor(maxTokens * (userDensity < OTHER_SCRIPT * sourceDensity ? userDensity : sourceDensity));
}
