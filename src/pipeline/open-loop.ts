import type { ReadonlyLog } from '../transcript/index.js';

/**
 * First log position of the tool loop in progress: the model is still at work on it, and its provider wants the
 * reasoning of every step back as it was. Past the end of the log where no loop is open.
 */
export function openLoopFrom(log: ReadonlyLog): number {
  const { unansweredUser, exchanges } = log;
  if (unansweredUser) return unansweredUser.seq;
  let from = log.length;
  for (let i = exchanges.length - 1; i >= 0 && exchanges[i]!.kind !== 'plain'; i--)
    from = exchanges[i]!.seqs[0]!;
  return from;
}
