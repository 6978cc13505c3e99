import type { Exchange } from './exchange.js';
import type { ReadonlyLog } from './log.js';
import type { LogMessage } from './message.js';

/** Whether no stage may touch a message. */
export type IsPinned = (message: LogMessage) => boolean;

/**
 * Pins the whole exchange of a pin, because half an exchange would be a result without its call. Each message of an
 * exchange is checked once, however often its exchange is asked about: one step may hold thousands of calls.
 */
export function pinWhole(log: ReadonlyLog, isPinned: IsPinned): IsPinned {
  const known = new WeakMap<Exchange, { checked: number; pinned: boolean }>();
  return (message) => {
    const exchange = log.exchangeOf(message.seq);
    let state = known.get(exchange);
    if (!state) known.set(exchange, (state = { checked: 0, pinned: false }));
    for (; state.checked < exchange.seqs.length; state.checked++)
      state.pinned ||= isPinned(log.at(exchange.seqs[state.checked]!));
    return state.pinned;
  };
}
