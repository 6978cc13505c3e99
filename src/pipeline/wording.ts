import type { ViewExchange } from '../spi/index.js';
import {
  isPlain,
  partHandle,
  textOf,
  type LogMessage,
  type Message,
  type Part,
  type Replace,
  type PlannedEdit,
  type ReadonlyLog,
} from '../transcript/index.js';

/** Length of the line about a cut, without its handle: `[… about 1,234,567 of 1,234,567 tokens cut; recall  …]`. */
const CUT_LINE_CHARS = 96;

/**
 * Whether an edit cuts a part: it keeps the beginning, the end or both, and replaces the rest by one line that tells
 * what is missing. Files are removed as a whole, and then the line may be the only text.
 */
export function cutsToSize(edit: Replace, part: Part): boolean {
  const original = textOf(part);
  const text = contentText(edit);
  const leavesOutFiles = filesIn([part]) > filesIn(edit.content);
  if (text.length >= original.length && !leavesOutFiles) return false;
  let head = 0;
  while (head < text.length && text[head] === original[head]) head++;
  let tail = 0;
  while (tail < text.length - head && text.at(-1 - tail) === original.at(-1 - tail)) tail++;
  const line = text.slice(head, text.length - tail).trim();
  const handle = partHandle(edit.messageId, edit.partIndex);
  const room = CUT_LINE_CHARS + handle.length;
  const keepsSome = head + tail > 0 || (original.trim() === '' && line.includes(handle));
  return keepsSome && CUT_LINE_SIGNS.test(line) && !line.includes('\n') && line.length <= room;
}

/** Brackets or dots, so that no sentence passes for the line: any other text may keep a full stop as well. */
const CUT_LINE_SIGNS = /[[\]…]|\.{3}/;

function filesIn(parts: readonly Part[]): number {
  let files = 0;
  for (const part of parts)
    files += part.type === 'tool-result' ? filesIn(part.content) : Number(part.type === 'file');
  return files;
}

export function contentText(edit: Replace): string {
  return edit.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Whether content may replace a part: it must not add a call, a result, or reasoning that the model did not write. */
export function isLegalContent(original: Part, content: readonly Part[]): boolean {
  if (original.type === 'opaque') return false;
  return content.every((part) => {
    if (original.type === 'reasoning') return part.type === 'reasoning' && part.text === original.text;
    if (original.type === 'tool-call' || original.type === 'marker') return part.type === 'text';
    return part.type === 'text' || part.type === 'file';
  });
}

/** Whether a part is the text of a user or an operator: no other text may replace it. */
export function isHumanText(message: LogMessage, part: Part): boolean {
  return part.type === 'text' && (message.role === 'user' || message.role === 'system');
}

/** A replacement is an assistant message; a merge of adjacent messages may keep their role if it keeps their text. */
export function isLegalReplacement(message: Message, span: readonly ViewExchange[]): boolean {
  if (message.parts.some((part) => !REPLACEMENT_TYPES.has(part.type) || isWithoutBytes(part, message)))
    return false;
  if (message.role === 'assistant') return true;
  const words = new Set<string>();
  for (const exchange of span) {
    for (const shown of exchange.messages) {
      if (shown.message.role === message.role)
        for (const part of shown.message.parts) words.add(textOf(part));
    }
  }
  return message.role !== 'tool' && message.parts.every((part) => words.has(textOf(part)));
}

/** A file whose part only points into another message: its bytes are missing, so no format could write it. */
const isWithoutBytes = (part: Part, { wire }: Message): boolean =>
  part.type === 'file' &&
  wire === undefined &&
  !(typeof part.wire === 'object' && part.wire !== null && isPlain(part.wire));

const REPLACEMENT_TYPES: ReadonlySet<Part['type']> = new Set(['text', 'reasoning', 'file']);

/**
 * Whether an edit became illegal because the log lost its newest messages. Then a user message may be unanswered again,
 * a call without its result, or a result unseen: such messages are protected, and an edit that touches one of them
 * cannot stay. `log` is the shorter log, and contains every message that the edit names.
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
      // A pin is sent in any case.
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
