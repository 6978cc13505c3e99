import type { SpillwayError } from '../../../src/errors/index.js';
import { computeFloor } from '../../../src/pipeline/index.js';
import { isTooLarge, unreachable } from '../../../src/pipeline/unreachable.js';
import type { Reading } from '../../../src/tokens/index.js';
import { Bench } from '../../support/bench.js';
import { call, calls, pinned, result, says, system, user, words } from '../../support/messages.js';
import type { Draft } from '../../support/messages.js';
import { budgetOf, run } from '../../support/runs.js';

const floorOf = (bench: Bench, tools = 0, share = 1_000) =>
  computeFloor(bench.view.exchanges, tools, share, new Set());
const NONE = { tools: 0, pins: 0, unansweredUser: 0, openExchange: 0, unseen: 0, holds: 0 };

/** Sizes: 4 tokens a message, 4 and a name a call. */
describe('the floor', () => {
  it.each<[string, Draft[], Partial<typeof NONE>]>([
    ['counts nothing that may go', [says(words(50)), says(words(50))], {}],
    ['counts pins', [system(words(10)), pinned(says(words(20))), says('x')], { pins: 38 }],
    ['counts the question', [user(words(30)), says('a'), user(words(10))], { unansweredUser: 14 }],
    ['counts the question once, though it is a pin', [pinned(user(words(10)))], { unansweredUser: 14 }],
    [
      'counts an open step',
      [calls(call('a'), call('b', {}, 'c2')), result('c1', words(9))],
      { openExchange: 4 + 14 + 13 },
    ],
    ['counts small fresh results whole', [calls(call('a')), result('c1', words(40))], { unseen: 11 + 44 }],
    [
      'counts large fresh results as small as they can be cut',
      [calls(call('a', { x: words(200) })), result('c1', words(400))],
      { unseen: 4 + 48 + 4 + 48 },
    ],
  ])('%s', (_name, drafts, parts) => {
    const floor = floorOf(Bench.of(...drafts));
    expect(floor.parts).toEqual({ ...NONE, ...parts });
    expect(floor.total).toBe(Object.values(floor.parts).reduce((a, b) => a + b, 0));
  });

  it('counts tools, holds, and pins up to their share', () => {
    const bench = Bench.of(system(words(96)), says(words(46)), says('x'));
    bench.holds = [{ from: 1, to: 1 }];
    expect(floorOf(bench, 30, 60)).toEqual({
      total: 140,
      parts: { ...NONE, tools: 30, holds: 50, pins: 60 },
    });
  });

  it('is compared with the budget in the provider’s tokens if those are more than ours', () => {
    const least = { floor: { total: 90, parts: NONE }, media: { bytes: 0, images: 0 } };
    const isAt = (scale: number) => isTooLarge(least, { budget: budgetOf(100), scale } as Reading);
    expect([1, 1.1, 1.2].map(isAt)).toEqual([false, false, true]);
  });

  it('is reported with its parts in the provider’s tokens, as the limit is', () => {
    const floor = { total: 90, parts: { ...NONE, tools: 70, pins: 20 } };
    const reading = { budget: budgetOf(100), scale: 1.5, tokens: 300 } as Reading;
    const { error } = unreachable({ floor, media: { bytes: 0, images: 0 } }, reading, []);
    expect(error.message).toContain('takes 135 tokens (tools 105, pins 30); the budget is 100 tokens');
    expect(error.facts).toMatchObject({ floor: { total: 135, parts: { tools: 105, pins: 30 } }, limit: 100 });
  });

  it('over the budget is a typed error with its parts, before any stage is asked', () => {
    const bench = Bench.of(says(words(50)), user(words(100)));
    const outcome = run(bench, [], { budget: 110, toolsTokens: 20 });
    expect(outcome).toMatchObject({ kind: 'unreachable', stages: [] });
    const { error } = outcome as { error: SpillwayError };
    expect(error.code).toBe('BUDGET_UNREACHABLE');
    expect(error.facts).toMatchObject({
      limit: 110,
      floor: { total: 124, parts: { tools: 20, unansweredUser: 104 } },
    });
    expect(bench.ids).toEqual(['m0', 'm1']);
  });
});
