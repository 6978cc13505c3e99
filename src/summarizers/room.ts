/** What our counts may be off by. */
const WINDOW_SHARE = 0.8;
/** What prompts and the answer's frame take, in tokens; of a small window no more than a quarter. */
const FRAME_TOKENS = 800;
const DEFAULT_WINDOW = 128_000;
/** Smaller pieces say nothing. */
const LEAST_CHUNK = 200;
/** Of a small window an answer takes at most this: it stands in it twice, as the record so far and as what is written. */
const ANSWER_SHARE = 0.15;

export interface RoomRequest {
  /** Of the summarizer, in tokens. */
  readonly window: number | undefined;
  /** What the slot has for the text. */
  readonly allowance: number;
  /** Tokens that go along with each piece. */
  readonly beside: number;
  /** From 1; each further one halves the pieces. */
  readonly attempt: number;
}

/** How long the pieces and the answer may be, so that both fit the model that writes it, however small its window. */
export function roomOf({ window = DEFAULT_WINDOW, allowance, beside, attempt }: RoomRequest) {
  const maxTokens = Math.min(allowance, Math.floor(ANSWER_SHARE * window));
  const frame = Math.min(FRAME_TOKENS, window / 4);
  const room = WINDOW_SHARE * window - frame - 2 * maxTokens - beside;
  return { maxTokens, chunkTokens: Math.max(LEAST_CHUNK, Math.floor(room / 2 ** (attempt - 1))) };
}
