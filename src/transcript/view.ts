import type { LogMessage, Message, MessageSize } from './message.js';

/** How a message of the view came to look as it does. */
export interface EditMark {
  readonly stage: string;
  readonly reason: string;
}

export interface ReplaceMark extends EditMark {
  /** How many parts stand where the one stood. */
  readonly length: number;
}

/**
 * One message as it will be sent: an original, an original with some parts replaced, or a replacement that
 * stands for a superseded span.
 */
export interface ViewMessage {
  /** What is shown. Equal to `source` where nothing was replaced. */
  readonly message: Message;
  readonly size: MessageSize;
  /** First and last log position this message stands for; equal for originals. */
  readonly from: number;
  readonly to: number;
  /** The log's own message; absent for replacements. */
  readonly source?: LogMessage;
  /** For originals: the mark of each replaced part, by part index of the source. */
  readonly replaced?: ReadonlyMap<number, ReplaceMark>;
  /** For replacements: who made it and why. */
  readonly made?: EditMark;
}
