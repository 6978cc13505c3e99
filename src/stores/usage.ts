import type { UsageEntry } from '../spi/index.js';

const USAGE_SUMS = [
  'calls',
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'cost',
  'unpriced',
] as const satisfies readonly (keyof UsageEntry)[];

/** One entry for each line and model, in their order: two writers then take the same rows in the same order. */
export function summed(entries: Iterable<UsageEntry>): UsageEntry[] {
  const sums = new Map<string, UsageEntry>();
  for (const entry of entries) {
    const key = `${entry.line} ${entry.model}`;
    const sum = sums.get(key);
    sums.set(key, sum ? added(sum, entry) : entry);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

function added(a: UsageEntry, b: UsageEntry): UsageEntry {
  const sums = Object.fromEntries(USAGE_SUMS.map((name) => [name, a[name] + b[name]]));
  return { ...a, ...sums };
}
