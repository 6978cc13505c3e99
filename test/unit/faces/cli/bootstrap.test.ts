import { interval } from '../../../../src/faces/cli/bench/bootstrap.js';

const mean = (drawn: readonly number[]): number => drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
/** 60 of 100. */
const rows = Array.from({ length: 100 }, (_, i) => (i % 5 < 3 ? 1 : 0));

describe('the interval of a figure over sessions', () => {
  it('is as wide as so many sessions make it', () => {
    const { low, high } = interval(rows, mean, 2_000);
    // 0.6 ± 1.96 × √(0.6 × 0.4 / 100)
    expect(low).toBeGreaterThan(0.48);
    expect(low).toBeLessThan(0.53);
    expect(high).toBeGreaterThan(0.67);
    expect(high).toBeLessThan(0.72);
  });

  it('is the same for the same seed, and another for another', () => {
    expect(interval(rows, mean, 50, 3)).toEqual(interval(rows, mean, 50, 3));
    expect(interval(rows, mean, 50, 4)).not.toEqual(interval(rows, mean, 50, 3));
  });

  it('draws alike for all that are held against each other, so that a difference is of pairs', () => {
    const pairs = rows.map((own) => ({ own, other: own - 0.25 }));
    const behind = (drawn: typeof pairs): number => mean(drawn.map(({ own, other }) => own - other));
    expect(interval(pairs, behind as never, 200)).toEqual({ low: 0.25, high: 0.25 });
  });

  it('is none over no session, or where no draw has the figure', () => {
    expect(interval([], mean, 10)).toEqual({ low: NaN, high: NaN });
    expect(interval(rows, () => NaN, 10)).toEqual({ low: NaN, high: NaN });
  });
});
