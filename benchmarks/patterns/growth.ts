/** Milliseconds at one, two and four times the length. */
export interface Growth {
  readonly what: string;
  readonly ms: readonly number[];
}

/** Quadratic time grows by 4 at each step. Clock, caches and collector make linear time grow by up to 2.6. */
const MOST_GROWTH = 3;
/** Shorter times are noise. */
const LEAST_MS = 40;

/** Whether the time grows faster than the text at each doubling, or the measurement was given up. */
export function isSuperLinear({ ms }: Growth): boolean {
  const [first, second, last] = ms as readonly [number, number, number];
  if (!Number.isFinite(last)) return true;
  return last >= LEAST_MS && last > MOST_GROWTH * second && second > 2 * first;
}

export function row({ what, ms }: Growth): string {
  return `${ms.map((one) => one.toFixed(0).padStart(8)).join(' ')}  ${what}`;
}
