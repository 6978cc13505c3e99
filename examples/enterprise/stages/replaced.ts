import type { Replace, ResultPart } from 'spillway/spi';

/** A result with other text in its place, and the tokens that it frees at least; nothing where it frees none. */
export function replaced(
  { source, index, tokens }: ResultPart,
  text: string,
  reason: string,
  count: (text: string) => number,
): { readonly edits: readonly Replace[]; readonly saved: number } {
  const saved = tokens - count(text) - FRAME;
  if (saved <= 0) return { edits: [], saved: 0 };
  const content = [{ type: 'text' as const, text }];
  return { edits: [{ kind: 'replace', messageId: source.id, partIndex: index, content, reason }], saved };
}

/** What a result takes beside its text, in tokens, at most. */
const FRAME = 12;
