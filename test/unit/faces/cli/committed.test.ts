import { describe, expect, it } from '@jest/globals';
import { Compactions } from '../../../../src/faces/cli/live.js';
import type { PressureEvent, Reading } from '../../../../src/index.js';

const triggered = (pressure: number): PressureEvent => ({
  kind: 'triggered',
  reading: { pressure } as Reading,
  reason: 'pressure',
});
const firing = (stage: string, tokens: number, edits = 1): PressureEvent => ({
  kind: 'firing',
  durationMs: 1,
  stage,
  outcome: 'applied',
  edits,
  tokensBefore: 1_000,
  tokensAfter: 1_000 + tokens,
});
const completed: PressureEvent = {
  kind: 'completed',
  recordId: 'c1',
  tokensBefore: 1_000,
  tokensAfter: 500,
  durationMs: 1,
  stageMs: {},
  calls: [],
};

function after(...events: PressureEvent[]): Compactions {
  const compactions = new Compactions();
  for (const event of events) compactions.event(event);
  return compactions;
}

describe('what stages did', () => {
  it('counts once the run is committed', () => {
    const compactions = after(triggered(0.9), firing('snip', -400, 3), firing('inject', 50), completed);
    expect(compactions.take()).toEqual({
      before: 0.9,
      stages: [
        { stage: 'snip', runs: 1, edits: 3, tokens: -400 },
        { stage: 'inject', runs: 1, edits: 1, tokens: 50 },
      ],
    });
    expect(compactions.take()).toBeUndefined();
  });

  it.each([
    ['came to nothing', { kind: 'noop', reason: 'less than the minimum' } as const],
    ['failed', { kind: 'failed', error: new Error('no room') } as const],
  ])('is forgotten where the run %s', (_how, end) => {
    const compactions = after(
      triggered(0.9),
      firing('snip', -400),
      end,
      triggered(0.95),
      firing('micro', -9),
    );
    expect(compactions.take()).toBeUndefined();
    compactions.event(completed);
    expect(compactions.take()?.stages.map(({ stage }) => stage)).toEqual(['micro']);
  });

  it('adds up by stage; a stage that had nothing to do is no part of it', () => {
    const compactions = after(triggered(0.9), firing('snip', -400, 3), firing('micro', 0, 0), completed);
    for (const event of [triggered(0.9), firing('snip', -100), completed]) compactions.event(event);
    expect([...compactions.totals.values()]).toEqual([{ stage: 'snip', runs: 2, edits: 4, tokens: -500 }]);
  });
});
