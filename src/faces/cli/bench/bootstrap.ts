export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The same draws on every machine (Mulberry32). */
export function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * 95 % interval of a statistic over sessions drawn with replacement. The draws depend on the seed and the number of
 * sessions only, so that two policies over the same sessions are drawn alike: their difference is paired.
 */
export function interval<Row>(
  rows: readonly Row[],
  statistic: (drawn: readonly Row[]) => number,
  draws: number,
  seed = 1,
): Interval {
  if (rows.length === 0) return { low: NaN, high: NaN };
  const next = seeded(seed);
  const values: number[] = [];
  for (let i = 0; i < draws; i++) {
    const value = statistic(rows.map(() => rows[Math.floor(next() * rows.length)]!));
    if (!Number.isNaN(value)) values.push(value);
  }
  values.sort((a, b) => a - b);
  return {
    low: values[Math.floor(values.length * 0.025)] ?? NaN,
    high: values[Math.ceil(values.length * 0.975) - 1] ?? NaN,
  };
}
