/**
 * The known name that was most likely meant, or undefined where none is close. Case, `_` and `-` do not count, so
 * `snip_threshold` finds `snipThreshold`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name);
  // One slip per three letters: looser and short names (`trim`, `caps`) suggest each other.
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let found: string | undefined;
  for (const candidate of known) {
    const apart = distance(wanted, plain(candidate), best);
    if (apart >= best) continue;
    best = apart;
    found = candidate;
  }
  return found;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** Levenshtein distance by rows (Wagner and Fischer, 1974); gives `limit` back as soon as it cannot be lower. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length] ?? limit;
}
