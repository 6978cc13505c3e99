import type { PlannedEdit } from './edit.js';
import { frozenCopy } from './frozen.js';
import {
  addSizes,
  frozenSize,
  NO_SIZE,
  subtractSizes,
  type FilePart,
  type LogMessage,
  type Part,
  type Size,
  type TextPart,
} from './message.js';
import type { ReplaceMark, ViewMessage } from './view.js';

/** A view message with one more part replaced. Built from the source, so that a later replace of the same part wins. */
export function replacePart(
  shown: ViewMessage,
  source: LogMessage,
  edit: Extract<PlannedEdit, { kind: 'replace' }>,
): ViewMessage {
  const parts: Part[] = [];
  const sizes: Size[] = [];
  const replaced = new Map<number, ReplaceMark>(shown.replaced);
  let at = 0;
  source.parts.forEach((original, index) => {
    const length = shown.replaced?.get(index)?.length ?? 1;
    if (index === edit.partIndex) {
      const content = withContent(original, edit.content);
      replaced.set(index, { stage: edit.stage, reason: edit.reason, length: content.length });
      parts.push(...content);
      // The content was measured as a whole: its first part carries the size, and further parts count zero.
      sizes.push(...content.map((_, i) => (i === 0 ? edit.size : NO_SIZE)));
    } else {
      parts.push(...shown.message.parts.slice(at, at + length));
      sizes.push(...shown.size.parts.slice(at, at + length));
    }
    at += length;
  });
  const overhead = subtractSizes(source.size, total(source.size.parts));
  return {
    message: frozenCopy(source, { parts: Object.freeze(parts) }),
    size: frozenSize({ ...addSizes(overhead, total(sizes)), parts: sizes }),
    from: shown.from,
    to: shown.to,
    source,
    replaced,
  };
}

/** The new content in the frame of the part that it replaces: calls and results keep their ids and names. */
export function withContent(original: Part, content: readonly Part[]): readonly Part[] {
  if (original.type === 'tool-result') {
    const inner = content.filter(
      (part): part is TextPart | FilePart => part.type === 'text' || part.type === 'file',
    );
    return [{ ...original, content: inner }];
  }
  if (original.type === 'tool-call') {
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return [{ ...original, arguments: text }];
  }
  return content;
}

function total(sizes: readonly Size[]): Size {
  return sizes.reduce(addSizes, NO_SIZE);
}
