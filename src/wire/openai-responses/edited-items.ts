import type { Part } from '../../transcript/index.js';
import type { Aligned } from '../conversation/aligned.js';
import { isText } from '../record.js';
import { unknownRole } from '../conversation/placeholders.js';
import { callKindOf } from './call-kinds.js';
import { noteOf } from './content.js';
import { isKnownRole, isMessageItem, type Item } from './wire.js';
import type { Report } from '../conversation/repairs.js';

/** What is sent for one item: the very object where its parts are untouched, nothing where none is left. */
export function writeItem(item: Item, parts: readonly Aligned[], note: Report): readonly Item[] {
  const edited = parts.some((part) => part.replaced);
  if (isMessageItem(item) && !isKnownRole(item.role)) return [labelled(item, parts, note)];
  if (isMessageItem(item)) return edited ? writeMessage(item, parts) : [withContent(item, note)];
  const kind = callKindOf(item);
  if (kind) {
    const call = parts[0]?.shown[0];
    if (call?.type !== 'tool-call') return [item];
    const named = isText(item[kind.idField]) ? item : { ...item, [kind.idField]: call.callId };
    if (edited) return [kind.withArguments(named, call.arguments)];
    if (kind.call !== 'function_call' || typeof item.arguments === 'string') return [named];
    note('arguments-not-text', `the arguments of ${call.name} are sent as JSON text`);
    return [{ ...named, arguments: call.arguments }];
  }
  if (!edited) return [item];
  if (item.type === 'mcp_call') return [writeServerPair(item, parts)];
  // Sealed items are whole or gone; what stands for them is said in words.
  const words = parts.flatMap((part) => part.shown).map(wordsOf);
  const text = words.filter((word) => word !== '').join('\n');
  return text === '' ? [] : [{ role: 'assistant', content: text }];
}

/** A role that this wire does not know: its words are sent as the user's, and say whose they are. */
function labelled({ role }: Item, parts: readonly Aligned[], note: Report): Item {
  note('unknown-role', `role ${String(role ?? 'missing')} is sent as a labelled user message`);
  const words = parts.flatMap(({ shown }) => shown.map(wordsOf)).filter((text) => text !== '');
  return { role: 'user', content: [unknownRole(role), ...words].join('\n') };
}

function writeMessage(item: Item, parts: readonly Aligned[]): readonly Item[] {
  if (Array.isArray(item.content)) {
    const list = item.content as readonly unknown[];
    const isModels = item.role === 'assistant';
    const content = parts.flatMap(({ source, shown, replaced }): readonly unknown[] => {
      const at = Array.isArray(source.wire) ? (source.wire as readonly number[])[1] : undefined;
      if (!replaced && at !== undefined) return [list[at]];
      return shown.map((part) => textEntry(wordsOf(part), isModels));
    });
    if (content.length > 0) return [{ ...item, content }];
  } else {
    const text = parts.flatMap((part) => part.shown.map(wordsOf)).join('\n');
    if (text !== '') return [{ ...item, content: text }];
  }
  return item.role === 'assistant' ? [] : [{ ...item, content: '' }];
}

function textEntry(text: string, isModels: boolean): Item {
  return isModels ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}

function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  return part.type === 'file' || part.type === 'opaque' ? noteOf(part) : '';
}

/** Content that is missing, or an empty list, is refused. */
function withContent(item: Item, note: Report): Item {
  const { content } = item;
  const missing =
    content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!missing) return item;
  note('no-content', 'a message without content is sent with an empty one');
  return { ...item, content: '' };
}

function writeServerPair(item: Item, parts: readonly Aligned[]): Item {
  let pair: Item = item;
  for (const part of parts.flatMap(({ shown, replaced }) => (replaced ? shown : []))) {
    if (part.type === 'tool-call') pair = { ...pair, arguments: part.arguments };
    if (part.type !== 'tool-result') continue;
    const words = part.content.map(wordsOf).join('\n');
    pair = { ...pair, [isText(item.error) ? 'error' : 'output']: words };
  }
  return pair;
}
