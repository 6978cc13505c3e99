import type { ReadonlyLog } from './log.js';
import type { LogMessage } from './message.js';

/** Whether no stage may touch a message. */
export type IsPinned = (message: LogMessage) => boolean;

/** A pin keeps its whole exchange: half of one left standing would be a result without its call. */
export function pinWhole(log: ReadonlyLog, isPinned: IsPinned): IsPinned {
  return (message) => log.exchangeOf(message.seq).seqs.some((seq) => isPinned(log.at(seq)));
}
