import { isFields, type Fields } from '../../wire/index.js';

export interface Entry {
  readonly id?: string;
  readonly parentId?: string;
  /** Place in the file. */
  readonly order: number;
  readonly line: Fields;
}

export interface Branch {
  /** In file order. */
  readonly entries: readonly Entry[];
  /** Messages that are on no way to the last entry. */
  readonly left: number;
}

/** What leads up to the last entry. Files of older versions have no ids: there everything does. */
export function branchOf(entries: readonly Entry[]): Branch {
  const byId = new Map<string, Entry>();
  for (const entry of entries) if (entry.id !== undefined && !byId.has(entry.id)) byId.set(entry.id, entry);
  if (byId.size === 0) return { entries, left: 0 };
  const kept = new Set<Entry>();
  let entry = entries.at(-1);
  while (entry && !kept.has(entry)) {
    kept.add(entry);
    const parent: Entry | undefined = entry.parentId === undefined ? undefined : byId.get(entry.parentId);
    // A parent that is not in the file, or no parent behind older lines without ids: the story goes on before it.
    entry = parent ?? lastWithoutId(entries, entry.order);
  }
  const way = entries.filter((one) => kept.has(one));
  const left = entries.filter((one) => !kept.has(one) && isFields(one.line.message)).length;
  return { entries: way, left };
}

function lastWithoutId(entries: readonly Entry[], before: number): Entry | undefined {
  const last = entries[before - 1];
  return last && last.id === undefined ? last : undefined;
}
