import fc from 'fast-check';
import { basisOf, calibrate, ratioAt, UNCALIBRATED, type Calibration } from '../../../src/tokens/index.js';

function report(estimate: number, inputTokens: number, generation = 0) {
  return { estimate, usage: { inputTokens }, generation };
}

describe('calibration', () => {
  it('takes the first report as it is, a higher one at once, and smooths a lower one', () => {
    const first = calibrate(UNCALIBRATED, report(10_000, 12_000));
    expect(first).toEqual({ ratio: 1.2, samples: 1, upTo: 10_000, generation: 0 });
    const higher = calibrate(first, report(10_000, 14_000));
    expect(higher.ratio).toBeCloseTo(1.4);
    expect(calibrate(higher, report(10_000, 12_000)).ratio).toBeCloseTo(1.3);
  });

  it('lets a ratio below 1 hold for as many tokens as were reported on', () => {
    const known = calibrate(UNCALIBRATED, report(1_000, 800));
    expect(ratioAt(known, 500)).toBe(0.8);
    expect(ratioAt(known, 1_000)).toBe(0.8);
    expect(ratioAt(known, 10_000)).toBeCloseTo(0.98);
    expect(ratioAt(calibrate(UNCALIBRATED, report(1_000, 1_200)), 10_000)).toBe(1.2);
    // As it was stored before it held for so many tokens.
    expect(ratioAt({ ratio: 0.8, samples: 3, generation: 0 }, 10_000)).toBe(1);
  });

  it('never takes what extends a reported request for less than was reported and what came on top', () => {
    const tokens = fc.integer({ min: 200, max: 2_000_000 });
    const reports = fc.array(fc.tuple(tokens, fc.double({ min: 0.5, max: 2.5, noNaN: true })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(reports, fc.nat(2_000_000), fc.nat(2_000_000), (told, more, yetMore) => {
        let now: Calibration = UNCALIBRATED;
        for (const [estimate, ratio] of told)
          now = calibrate(now, report(estimate, Math.max(200, ratio * estimate)));
        const [estimate, ratio] = told.at(-1)!;
        const read = (counted: number) => counted * ratioAt(now, counted);
        const longer = estimate + more;
        expect(read(longer)).toBeGreaterThanOrEqual(ratio * estimate + more - 0.01);
        expect(read(longer)).toBeLessThanOrEqual(Math.max(1, now.ratio) * longer + 0.01);
        expect(read(longer + yetMore)).toBeGreaterThanOrEqual(read(longer) - 0.01);
      }),
    );
  });

  it('counts cached input: a cache hit is no smaller request', () => {
    const usage = { inputTokens: 200, cacheReadTokens: 9_000, cacheWriteTokens: 1_800, outputTokens: 700 };
    expect(calibrate(UNCALIBRATED, { estimate: 10_000, usage, generation: 0 }).ratio).toBeCloseTo(1.1);
  });

  it('ignores usage older than the last rewrite', () => {
    const known = calibrate(UNCALIBRATED, report(10_000, 12_000, 3));
    expect(calibrate(known, report(10_000, 20_000, 2))).toBe(known);
    expect(calibrate(known, report(10_000, 20_000, 3), 4)).toBe(known);
  });

  it('ignores reports that say nothing', () => {
    for (const [estimate, input] of [
      [0, 500],
      [10_000, 0],
      [10_000, NaN],
      [10_000, Infinity],
      [50, 90],
    ] as const) {
      expect(calibrate(UNCALIBRATED, report(estimate, input))).toBe(UNCALIBRATED);
    }
  });

  it('says whether this very view was measured', () => {
    const known = calibrate(UNCALIBRATED, report(10_000, 12_000, 3));
    expect(basisOf(UNCALIBRATED, 0)).toBe('estimated');
    expect(basisOf(known, 3)).toBe('measured');
    expect(basisOf(known, 4)).toBe('calibrated');
  });

  it('stays within sane bounds whatever is reported, and settles on a steady ratio', () => {
    const tokens = fc.double({ noNaN: false });
    fc.assert(
      fc.property(fc.array(fc.tuple(tokens, tokens, fc.nat(5))), (reports) => {
        let now: Calibration = UNCALIBRATED;
        for (const [estimate, input, generation] of reports)
          now = calibrate(now, report(estimate, input, generation));
        expect(now.ratio).toBeGreaterThanOrEqual(0.5);
        expect(now.ratio).toBeLessThanOrEqual(2.5);
        for (let turn = 0; turn < 20; turn += 1) now = calibrate(now, report(10_000, 13_000, 6));
        expect(now.ratio).toBeCloseTo(1.3, 3);
      }),
    );
  });
});
