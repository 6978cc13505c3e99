import {
  grouped,
  isSettled,
  partHandle,
  shownParts,
  type Edit,
  type FilePart,
  type Part,
  type Replace,
  type ShownPart,
  type TextPart,
  type TranscriptView,
} from '../../spi/index.js';
import type { Need, SnipEdits } from './need.js';

/** Images and files of earlier turns, oldest first: every request sends their bytes, and few are needed twice. */
export function mediaEdits(
  view: TranscriptView,
  need: Need,
  removed: SnipEdits['removed'],
  others: readonly Edit[],
): Replace[] {
  const otherParts = new Set(
    others.flatMap((edit) => (edit.kind === 'replace' ? [partHandle(edit.messageId, edit.partIndex)] : [])),
  );
  const edits: Replace[] = [];
  for (const exchange of view.exchanges) {
    if (exchange.protection || exchange.unseen || exchange.turnsAgo < 1 || removed.has(exchange)) continue;
    for (const message of exchange.messages) {
      for (const part of shownParts(message)) {
        if (!need.isOpen) return edits;
        const content = withoutMedia(part, view.mark);
        if (!content || otherParts.has(part.handle)) continue;
        const { bytes, images } = mediaOf(part.original);
        const reason = 'media of an earlier turn';
        edits.push({ kind: 'replace', messageId: part.source.id, partIndex: part.index, content, reason });
        need.takeMedia(Math.max(0, part.tokens - PLACEHOLDER_TOKENS), bytes, images);
      }
    }
  }
  return edits;
}

/** Approximate tokens of a placeholder, so that the booked saving is not too large. */
const PLACEHOLDER_TOKENS = 30;

/** The part's replacement; undefined if it has no media, or was compacted before. */
function withoutMedia(part: ShownPart, mark: TranscriptView['mark']): Part[] | undefined {
  const { original, handle } = part;
  if (part.mark) return undefined;
  if (original.type === 'file') return [placeholder(original, mark(handle))];
  if (original.type !== 'tool-result' || isSettled(part)) return undefined;
  if (!original.content.some((inner) => inner.type === 'file')) return undefined;
  return original.content.map((inner) => (inner.type === 'file' ? placeholder(inner, mark(handle)) : inner));
}

function placeholder({ mediaType, bytes, name }: FilePart, handle: string): TextPart {
  const what = name === undefined ? mediaType : `${mediaType} ${name}`;
  return { type: 'text', text: `[${what}, ${grouped(bytes)} bytes, left out; ${handle}]` };
}

function mediaOf(part: Part): { bytes: number; images: number } {
  const files =
    part.type === 'file' ? [part] : part.type === 'tool-result' ? part.content.filter(isFile) : [];
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    images: files.filter(({ mediaType }) => mediaType.startsWith('image/')).length,
  };
}

function isFile(part: Part): part is FilePart {
  return part.type === 'file';
}
