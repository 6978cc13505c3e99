/** Index of the first item whose figure is at least `least`, in a list sorted by figure; the list's length if none. */
export function firstAtLeast<Item>(
  sorted: readonly Item[],
  least: number,
  figureOf: (item: Item) => number,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (figureOf(sorted[middle]!) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
