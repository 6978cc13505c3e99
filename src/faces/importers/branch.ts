import type { Recording } from './recording.js';

/** An entry of a recording in which each entry names its parent. */
export interface TreeEntry {
  readonly id: string | undefined;
  readonly parent: unknown;
  /** The entry taken as the parent if the file lacks the named parent. */
  readonly before: TreeEntry | undefined;
}

/** The entries that lead to `last`. Of entries with one id, the first counts. Notes how many parents are missing. */
export function branchOf<Entry extends TreeEntry>(
  entries: readonly Entry[],
  last: Entry | undefined,
  recording: Recording,
): ReadonlySet<Entry> {
  const byId = new Map<unknown, Entry>();
  for (const entry of entries) if (entry.id !== undefined && !byId.has(entry.id)) byId.set(entry.id, entry);
  const kept = new Set<Entry>();
  let breaks = 0;
  for (let entry = last; entry && !kept.has(entry);) {
    kept.add(entry);
    const parent = byId.get(entry.parent);
    const isKnown = parent !== undefined && !kept.has(parent);
    const next = isKnown ? parent : (entry.before as Entry | undefined);
    if (!isKnown && entry.parent !== undefined && next && !kept.has(next)) breaks++;
    entry = next;
  }
  const what = 'parents are not in the file; the line before was taken instead';
  recording.noteCount(breaks, 'chain-break', what);
  return kept;
}
