import {
  pinWhole,
  spanHandle,
  type IsPinned,
  type PlannedEdit,
  type ReadonlyLog,
} from '../transcript/index.js';

/**
 * Omits edits that a later edit of the same run made pointless: a stub inside a span that was then summarised, a cut
 * that was cut again. The remaining edits render the same view, and no text is requested for the others.
 */
export function keptEdits(
  edits: readonly PlannedEdit[],
  log: ReadonlyLog,
  isPinned: IsPinned,
): PlannedEdit[] {
  const stays = pinWhole(log, isPinned);
  // A flag for each log position, because there may be as many spans as edits. Two spans are nested or disjoint.
  const covered = new Uint8Array(log.length);
  const replaced = new Set<string>();
  const released = new Set<string>();
  const kept: PlannedEdit[] = [];
  for (const edit of [...edits].reverse()) {
    if (edit.kind === 'replace') {
      const source = log.find(edit.messageId)!;
      const key = `${edit.messageId}#${edit.partIndex}`;
      const shadowed = stays(source) ? released.has(source.id) : covered[source.seq] === 1;
      if (shadowed || replaced.has(key)) continue;
      replaced.add(key);
    } else {
      const from = log.find(edit.fromId)!.seq;
      const to = log.find(edit.toId)!.seq;
      if (from === to && stays(log.at(from))) {
        // A pin is only removed by an edit of its own.
        released.add(edit.fromId);
        kept.push(edit);
        continue;
      }
      if (covered[from] === 1 && covered[to] === 1) continue;
      covered.fill(1, from, to + 1);
    }
    kept.push(edit);
  }
  return kept.reverse();
}

/**
 * A carried text is added to a replacement by a later edit of the same span. If a message of the earlier edit remains,
 * the later edit gets the slot of the earlier one.
 */
export function keepSlots(kept: readonly PlannedEdit[], all: readonly PlannedEdit[]): readonly PlannedEdit[] {
  const offered = new Map<string, PlannedEdit & { readonly kind: 'supersede' }>();
  for (const edit of all)
    if (edit.kind === 'supersede' && edit.slot) offered.set(spanHandle(edit.fromId, edit.toId), edit);
  if (offered.size === 0) return kept;
  return kept.map((edit) => {
    if (edit.kind !== 'supersede' || edit.slot) return edit;
    const own = offered.get(spanHandle(edit.fromId, edit.toId));
    const isKept = own?.replacement.some(({ id }) => edit.replacement.some((message) => message.id === id));
    return isKept ? { ...edit, slot: own!.slot! } : edit;
  });
}
