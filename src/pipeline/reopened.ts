import type { LogMessage, PlannedEdit, ReadonlyLog } from '../transcript/index.js';
import { cutsToSize } from './wording.js';

/**
 * Whether an edit was legal only because of what came later. A log that lost its newest messages may have its question
 * open again, a call without its result, or a result that no request has carried: such messages are protected, and an
 * edit that touches one of them cannot stay. Every message that the edit names is in `log`, which is the shorter one.
 */
export function touchesReopened(
  edit: PlannedEdit,
  log: ReadonlyLog,
  isPinned: (message: LogMessage) => boolean,
): boolean {
  if (edit.kind === 'supersede') {
    const from = log.find(edit.fromId)!.seq;
    const to = log.find(edit.toId)!.seq;
    for (let seq = to; seq >= from; seq--) {
      // A pin is sent whatever goes around it.
      if (isReopened(log.at(seq), log) && !isPinned(log.at(seq))) return true;
    }
    return false;
  }
  const message = log.find(edit.messageId)!;
  const part = message.parts[edit.partIndex]!;
  if (part.type === 'reasoning') return false;
  if (!isReopened(message, log)) return false;
  if (part.type === 'tool-call') return log.openExchange?.seqs.includes(message.seq) === true;
  return !cutsToSize(edit, part);
}

function isReopened({ seq }: LogMessage, log: ReadonlyLog): boolean {
  return (
    seq >= log.unseenFrom || seq === log.unansweredUser?.seq || log.openExchange?.seqs.includes(seq) === true
  );
}
