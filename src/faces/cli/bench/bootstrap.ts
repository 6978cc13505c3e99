import { Dice } from '../../../testkit/index.js';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % interval of a statistic over sessions drawn with replacement. The draws depend only on the seed and the number
 * of sessions, so that two policies over the same sessions have the same draws: their difference is paired.
 */
export function interval<Row>(
  rows: readonly Row[],
  statistic: (drawn: readonly Row[]) => number,
  draws: number,
  seed = 1,
): Interval {
  if (rows.length === 0) return { low: NaN, high: NaN };
  const dice = new Dice(seed);
  const values: number[] = [];
  for (let i = 0; i < draws; i++) {
    const value = statistic(rows.map(() => dice.pick(rows)));
    if (!Number.isNaN(value)) values.push(value);
  }
  values.sort((a, b) => a - b);
  return {
    low: values[Math.floor(values.length * 0.025)] ?? NaN,
    high: values[Math.ceil(values.length * 0.975) - 1] ?? NaN,
  };
}
