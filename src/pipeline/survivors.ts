import { pinWhole, type IsPinned, type PlannedEdit, type ReadonlyLog } from '../transcript/index.js';

/**
 * Leaves out the edits that a later edit of the same run has made pointless: a stub inside a span that was then
 * summarised, a cut that was cut again. Rendering what is left gives the same view, and no text is bought for the rest.
 */
export function survivors(
  edits: readonly PlannedEdit[],
  log: ReadonlyLog,
  isPinned: IsPinned,
): PlannedEdit[] {
  const stays = pinWhole(log, isPinned);
  const covered: [from: number, to: number][] = [];
  const replaced = new Set<string>();
  const kept: PlannedEdit[] = [];
  for (const edit of [...edits].reverse()) {
    if (edit.kind === 'replace') {
      const source = log.find(edit.messageId)!;
      const key = `${edit.messageId}#${edit.partIndex}`;
      const shadowed = !stays(source) && covered.some(([from, to]) => source.seq >= from && source.seq <= to);
      if (shadowed || replaced.has(key)) continue;
      replaced.add(key);
    } else {
      const from = log.find(edit.fromId)!.seq;
      const to = log.find(edit.toId)!.seq;
      if (covered.some(([a, b]) => from >= a && to <= b)) continue;
      covered.push([from, to]);
    }
    kept.push(edit);
  }
  return kept.reverse();
}
