import type { Notice } from '../../spi/index.js';
import type { Message, Part } from '../../transcript/index.js';
import { isProgramWritten } from '../../wire/index.js';
import { partOf } from './blocks.js';
import type { Entry } from './lines.js';

/** Lines of one answer become one assistant message, which restores parallel calls; each result is its own message. */
export function messagesOf(entries: readonly Entry[], notices: Notice[]): Message[] {
  return joined(entries).flatMap((lines) => {
    const first = lines[0]!;
    const report = (what: string) => void notices.push({ at: first.uuid, kind: 'unknown-part', what });
    const parts = withoutRepeats(lines.flatMap((line) => line.blocks.map((block) => partOf(block, report))));
    const made = first.role === 'assistant' ? assistantMessage(first, parts) : userMessages(first, parts);
    if (made.length === 0)
      notices.push({ at: first.uuid, kind: 'empty-message', what: 'nothing said; left out' });
    return made;
  });
}

function joined(entries: readonly Entry[]): Entry[][] {
  const answers = new Map<string, Entry[]>();
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const known = entry.messageId === undefined ? undefined : answers.get(entry.messageId);
    if (known) {
      known.push(entry);
      continue;
    }
    const group = [entry];
    groups.push(group);
    if (entry.messageId !== undefined) answers.set(entry.messageId, group);
  }
  return groups;
}

/** Some versions write an answer's lines cumulatively: a call that was there already is not made twice. */
function withoutRepeats(parts: readonly Part[]): Part[] {
  const calls = new Set<string>();
  return parts.filter((part) => {
    if (part.type !== 'tool-call' || part.callId === '') return true;
    if (calls.has(part.callId)) return false;
    calls.add(part.callId);
    return true;
  });
}

/** An answer cut off while still thinking says nothing that could be sent again. */
function assistantMessage(entry: Entry, parts: readonly Part[]): Message[] {
  if (parts.every((part) => part.type === 'reasoning')) return [];
  return [{ id: entry.uuid, role: 'assistant', origin: 'model', parts, ...when(entry) }];
}

function userMessages(entry: Entry, parts: readonly Part[]): Message[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const rest = parts.filter((part) => part.type !== 'tool-result');
  const messages = results.map((part, index): Message => ({
    id: index === 0 ? entry.uuid : `${entry.uuid}#${index}`,
    role: 'tool',
    origin: 'tool',
    parts: [part],
    ...when(entry),
  }));
  if (rest.length === 0) return messages;
  const machine =
    entry.byProgram || rest.every((part) => part.type === 'text' && isProgramWritten(part.text));
  const id = results.length === 0 ? entry.uuid : `${entry.uuid}#text`;
  return [
    ...messages,
    { id, role: 'user', origin: machine ? 'synthetic' : 'user', parts: rest, ...when(entry) },
  ];
}

function when(entry: Entry): { createdAt?: number } {
  return entry.createdAt === undefined ? {} : { createdAt: entry.createdAt };
}
