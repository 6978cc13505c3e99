import type { Digest, DigestRequest } from '../text/digest/index.js';
import type { References } from '../text/facts/index.js';
import type { Handle, LogMessage, ViewMessage } from '../transcript/index.js';

/**
 * Why an exchange may not be edited: a pin, a hold, a step that waits for results, or a user message without an answer
 * yet.
 */
export type Protection = 'pinned' | 'held' | 'open' | 'unanswered';

/** One exchange as it will be sent, or the replacement of a superseded span. */
export interface ViewExchange {
  /** Place in `TranscriptView.exchanges`. */
  readonly index: number;
  readonly kind: 'plain' | 'step' | 'stray' | 'replacement';
  readonly messages: readonly ViewMessage[];
  /** Log positions and ids of the first and last log message that it represents, as a supersede names them. */
  readonly from: number;
  readonly to: number;
  readonly fromId: string;
  readonly toId: string;
  readonly tokens: number;
  /** Turns ago: 0 is the turn in progress. */
  readonly turnsAgo: number;
  readonly protection?: Protection;
  /** Whether it has a result that no request has contained yet: it may only be cut to size (head, tail, handle). */
  readonly unseen: boolean;
}

/** A stage's read access to a transcript; valid during one `plan` call. */
export interface TranscriptView {
  readonly exchanges: readonly ViewExchange[];
  readonly tokens: number;
  readonly turns: number;
  /** References of later text and calls, and reads that were repeated or made stale. */
  readonly references: References;
  /** The log's own messages of a span, including superseded ones: the source for a summary. */
  originals(from: number, to: number): readonly LogMessage[];
  /** A handle as texts write it: `recall m12#0` if the agent has the recall tool, else `m12#0`. */
  mark(handle: Handle): string;
  /** The deterministic text of a span: its talk, verbatim if there is room, and a line per run of calls. */
  digest(request: DigestRequest): Digest;
  /** Index of the log exchange (`Exchange.index`, as in `references`) that a log position belongs to. */
  exchangeOf(seq: number): number;
}
