import type { LogMessage, Message, MessageSize } from './message.js';

/** The stage and reason of an edit. */
export interface EditMark {
  readonly stage: string;
  readonly reason: string;
}

export interface ReplaceMark extends EditMark {
  /** Number of parts that replace the one part. */
  readonly length: number;
}

/**
 * One message as it will be sent: an original, an original with some parts replaced, or a replacement for a superseded
 * span.
 */
export interface ViewMessage {
  /** The content as sent. Equal to `source` if no part was replaced. */
  readonly message: Message;
  readonly size: MessageSize;
  /** First and last log position that this message represents; equal for originals. */
  readonly from: number;
  readonly to: number;
  /** The message of the log; absent for replacements. */
  readonly source?: LogMessage;
  /** For originals: the mark of each replaced part, by part index of the source. */
  readonly replaced?: ReadonlyMap<number, ReplaceMark>;
  /** For replacements: the stage and its reason. */
  readonly made?: EditMark;
}
