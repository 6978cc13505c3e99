/** Least tokens that a longer text is cut to: less says nothing. */
export const MIN_TOKENS = 40;

/**
 * Shares room out: what is short takes what it needs, the rest is divided among the long ones. Of more than can have
 * `MIN_TOKENS` each the first ones get a share; the answer may be shorter than what was given.
 */
export function sharesOf(sizes: readonly number[], room: number): number[] {
  let least = 0;
  let count = 0;
  for (const size of sizes) {
    least += Math.min(size, MIN_TOKENS);
    if (least > room && count > 0) break;
    count++;
  }
  const shares = Array.from<number>({ length: count });
  let left = room;
  const byLength = shares.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  byLength.forEach((index, i) => {
    shares[index] = Math.min(sizes[index]!, Math.floor(left / (count - i)));
    left -= shares[index];
  });
  return shares;
}
