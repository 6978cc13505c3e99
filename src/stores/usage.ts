import type { UsageEntry } from '../spi/index.js';

/** The counts of an entry, in the order in which they are written. */
export const USAGE_SUMS = [
  'calls',
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'cost',
  'unpriced',
] as const satisfies readonly (keyof UsageEntry)[];

/** One entry for each line and model, sorted, so that two writers lock the same rows in the same order. */
export function summed(entries: Iterable<UsageEntry>): UsageEntry[] {
  const sums = new Map<string, UsageEntry>();
  for (const entry of entries) {
    const key = `${entry.line} ${entry.model}`;
    const sum = sums.get(key);
    const added = sum && Object.fromEntries(USAGE_SUMS.map((name) => [name, sum[name] + entry[name]]));
    sums.set(key, { ...entry, ...added });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
