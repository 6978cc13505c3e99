import type { Handle } from '../../transcript/index.js';

/** Asks for the text that stands for a span of the log. */
export interface DigestRequest {
  /** Log positions of the first and last message it stands for. */
  readonly from: number;
  readonly to: number;
  /** Names the span, for recall. */
  readonly handle: Handle;
  /** Infinity: all that was said, and a short line a run of calls. */
  readonly maxTokens: number;
  /** Counts text on the scale of the view. */
  count(text: string): number;
  /** Messages of the span that still stand in the view: the text leaves them out. */
  readonly shown?: ReadonlySet<number>;
}

/** The text that stands for a span, and what it leaves out of users' words. */
export interface Digest {
  readonly text: string;
  readonly tokens: number;
  /** Ids of user messages that it does not give in full. */
  readonly shortened: readonly string[];
}
