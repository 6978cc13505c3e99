import { DEFAULT_WINDOW } from '../tokens/index.js';

/** What our counts may be off by. */
const WINDOW_SHARE = 0.8;
/** What stands between the texts of a request, in tokens. */
const FRAME_TOKENS = 100;
/** Smaller pieces say nothing. Of a small window it is this share. */
const LEAST_CHUNK = 200;
const LEAST_SHARE = 0.1;
/** Of a small window an answer takes at most this: it stands in it twice, as the record so far and as what is written. */
const ANSWER_SHARE = 0.15;

/** Longer answers repeat themselves, and many models write no longer ones. In tokens. */
const LONGEST_ANSWER = 8_000;
/** Of what a model writes at most: its counts are not ours. */
const OUTPUT_SHARE = 0.9;

interface RoomRequest {
  /** Of the summarizer, in tokens. */
  readonly window: number | undefined;
  /** Most it writes in one answer, where that is known. */
  readonly outputLimit?: number | undefined;
  /** What the slot has for the text. */
  readonly allowance: number;
  /** Tokens that go along with each piece, its prompt with them. */
  readonly beside: number;
  /** From 1; each further one halves the pieces. */
  readonly attempt: number;
}

/** How long the pieces and the answer may be, so that both fit the model that writes it, however small its window. */
export function roomOf({
  window = DEFAULT_WINDOW,
  outputLimit = Infinity,
  allowance,
  beside,
  attempt,
}: RoomRequest) {
  const answer = Math.min(ANSWER_SHARE * window, OUTPUT_SHARE * outputLimit, LONGEST_ANSWER);
  const maxTokens = Math.min(allowance, Math.floor(answer));
  const room = WINDOW_SHARE * window - FRAME_TOKENS - 2 * maxTokens - beside;
  const least = Math.floor(Math.min(LEAST_CHUNK, LEAST_SHARE * window));
  return { maxTokens, chunkTokens: Math.max(least, Math.floor(room / 2 ** (attempt - 1))) };
}
