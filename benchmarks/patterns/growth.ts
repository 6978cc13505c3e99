/** Milliseconds at one, two and four times the length. */
export interface Growth {
  readonly what: string;
  readonly ms: readonly number[];
}

/** Quadratic is 4 from each to the next; the clock, the caches and the collector make up to 2.6 of what is linear. */
const MOST_GROWTH = 3;
/** Less is noise. */
const LEAST_MS = 40;

/** Whether the time grows faster than the text, each time it is doubled, or was given up. */
export function isSuperLinear({ ms }: Growth): boolean {
  const [first, second, last] = ms as readonly [number, number, number];
  if (!Number.isFinite(last)) return true;
  return last >= LEAST_MS && last > MOST_GROWTH * second && second > 2 * first;
}

export function row({ what, ms }: Growth): string {
  return `${ms.map((one) => one.toFixed(0).padStart(8)).join(' ')}  ${what}`;
}
