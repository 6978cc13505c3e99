import type { Digest, DigestRequest } from '../text/digest/index.js';
import type { References } from '../text/facts/index.js';
import type { Handle, LogMessage, ViewMessage } from '../transcript/index.js';

/**
 * Why an exchange may not be edited at all: a pin, a hold, a step that waits for results, or the user message
 * that has no answer yet.
 */
export type Protection = 'pinned' | 'held' | 'open' | 'unanswered';

/** One exchange as it will be sent, or the replacement of a superseded span. */
export interface ViewExchange {
  /** Place in `TranscriptView.exchanges`. */
  readonly index: number;
  readonly kind: 'plain' | 'step' | 'stray' | 'replacement';
  readonly messages: readonly ViewMessage[];
  /** Log positions and ids of the first and last log message it stands for: what a supersede names. */
  readonly from: number;
  readonly to: number;
  readonly fromId: string;
  readonly toId: string;
  readonly tokens: number;
  /** Turns ago: 0 is the turn in progress. */
  readonly turnsAgo: number;
  readonly protection?: Protection;
  /** Holds a result no request has carried yet: it may be cut to size (head, tail, handle), nothing else. */
  readonly unseen: boolean;
}

/** What a stage may know of a transcript. Read-only; valid during one `plan` call. */
export interface TranscriptView {
  readonly exchanges: readonly ViewExchange[];
  readonly tokens: number;
  readonly turns: number;
  /** What later text and calls refer to, and reads that were repeated or made stale. */
  readonly references: References;
  /** The log's own messages of a span, superseded ones included: what a summary should be derived from. */
  originals(from: number, to: number): readonly LogMessage[];
  /** How a text names what can be read back: `recall m12#0` where the agent has the recall tool, else `m12#0`. */
  mark(handle: Handle): string;
  /** Text for a span without a model: what was said in it, word for word where it fits, and a line a run of calls. */
  digest(request: DigestRequest): Digest;
  /** Number of the log exchange (`Exchange.index`, as `references` asks for) that a log position belongs to. */
  exchangeOf(seq: number): number;
}
