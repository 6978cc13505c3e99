import type { FilePart, Part, TextPart } from '../../transcript/index.js';
import { isFields, listOf } from '../record.js';
import { textIn } from './content.js';
import { fileNote } from '../conversation/placeholders.js';

type Content = string | readonly unknown[];

/** Parts that stand in a message's `content`; a refusal that came from its own field does not. */
export function isContentPart(part: Part): part is TextPart | FilePart {
  return (part.type === 'text' && part.wire !== 'refusal') || part.type === 'file';
}

/**
 * Parts as content: each untouched one as the very object it came from, `original` being the content it was
 * parsed from. A string stays a string unless a file stands among the parts.
 */
export function writeContent(parts: readonly (TextPart | FilePart)[], original: unknown): Content {
  const items = parts.map((part) => writePart(part, listOf(original)));
  const plain = !Array.isArray(original) && items.every((item) => item.text !== undefined);
  if (plain) return items.map((item) => item.text).join('\n');
  return items.map((item) => item.wire);
}

interface Item {
  readonly wire: unknown;
  /** Set where the part is no more than words. */
  readonly text?: string;
}

function writePart(part: TextPart | FilePart, original: readonly unknown[]): Item {
  const source = typeof part.wire === 'number' ? original[part.wire] : part.wire;
  if (part.type === 'text') {
    if (source === part.text) return { wire: source };
    if (isFields(source) && (textIn(source) ?? source.text) === part.text) return { wire: source };
    return textItem(part.text);
  }
  if (isFields(source)) return { wire: source };
  return textItem(fileNote(part.mediaType, part.bytes, part.name));
}

function textItem(text: string): Item {
  return { wire: { type: 'text', text }, text };
}
