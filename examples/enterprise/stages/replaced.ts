import type { Replace, ResultPart } from 'spillway/spi';

/** An edit that replaces a result by other text, and the least tokens that it frees; undefined if it frees none. */
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

/** The most tokens that a result takes in addition to its text. */
const FRAME = 12;
