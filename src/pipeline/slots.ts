import { spanHandle, type PlannedEdit } from '../transcript/index.js';

/**
 * Claims join what stands for a span, in an edit that takes the place of the span's own. Where a message of that one
 * still stands in it, what it left to a model to write is left to it here.
 */
export function keepSlots(kept: readonly PlannedEdit[], all: readonly PlannedEdit[]): readonly PlannedEdit[] {
  const offered = new Map<string, PlannedEdit & { readonly kind: 'supersede' }>();
  for (const edit of all)
    if (edit.kind === 'supersede' && edit.slot) offered.set(spanHandle(edit.fromId, edit.toId), edit);
  if (offered.size === 0) return kept;
  return kept.map((edit) => {
    if (edit.kind !== 'supersede' || edit.slot) return edit;
    const own = offered.get(spanHandle(edit.fromId, edit.toId));
    const stands = own?.replacement.some(({ id }) => edit.replacement.some((message) => message.id === id));
    return stands ? { ...edit, slot: own!.slot! } : edit;
  });
}
