import { highestGate, isRunDue, spentAfter, type Spent } from '../../../src/pressure/index.js';

const gates = [0.8, 0.84, 0.98].map((opensAt, i) => ({ stage: `s${i}`, opensAt }));
const FRESH = 100;

describe('the highest open gate', () => {
  it.each([
    [0, -1],
    [0.7999, -1],
    [0.8, 0],
    [0.8399, 0],
    [0.84, 1],
    [0.99, 2],
    [7, 2],
    [NaN, -1],
  ])('at pressure %d is %d', (pressure, gate) => {
    expect(highestGate(pressure, gates)).toBe(gate);
  });

  it('is none without gates', () => expect(highestGate(2, [])).toBe(-1));
});

describe('a run', () => {
  it.each<[string, number, Spent | undefined, number, boolean]>([
    ['waits below the first gate', 0.79, undefined, 0, false],
    ['starts at the first gate', 0.8, undefined, 0, true],
    ['does not start again where nothing came in', 0.82, { gate: 0, appended: 500 }, 500, false],
    ['does not start again for little', 0.83, { gate: 0, appended: 500 }, 599, false],
    ['starts again when enough came in', 0.83, { gate: 0, appended: 500 }, 600, true],
    ['does not start again for a gate alone', 0.84, { gate: 0, appended: 500 }, 501, false],
    ['starts again for a quarter near the brim', 0.95, { gate: 0, appended: 500 }, 525, true],
    ['does not start again at a lower gate', 0.81, { gate: 1, appended: 500 }, 510, false],
    ['always starts over the budget', 1.01, { gate: 2, appended: 500 }, 500, true],
    ['does not start again at exactly the budget', 1, { gate: 2, appended: 500 }, 500, false],
    ['waits below the first gate, whatever came in', 0.5, { gate: 0, appended: 0 }, 9_999, false],
  ])('%s', (_name, pressure, spent, appended, due) => {
    expect(isRunDue(pressure, gates, spent, appended, FRESH)).toBe(due);
  });

  it('forgets what was spent once pressure is below the first gate', () => {
    expect(spentAfter(0.6, gates, 9)).toBeUndefined();
    expect(spentAfter(0.85, gates, 9)).toEqual({ gate: 1, appended: 9 });
  });
});
