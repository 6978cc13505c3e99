import { jest } from '@jest/globals';
import { Breakers, BreakerOpen, type BreakerState } from '../../../src/summarizers/index.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const COOLDOWN = 60_000;
const always = (): boolean => true;
const good = (): Promise<string> => Promise.resolve('good');
const bad = (): Promise<string> => Promise.reject(new Error('500'));

function open(scope: 'pipeline' | 'stage' = 'pipeline') {
  const breakers = new Breakers({ failures: 3, cooldownMs: COOLDOWN, scope });
  const changes: [string, BreakerState][] = [];
  breakers.onChange = (stage, state) => changes.push([stage, state]);
  const breaker = {
    run: <Result>(call: () => Promise<Result>, counts: (error: unknown) => boolean) =>
      breakers.run('here', 'auto', call, counts),
    get state() {
      return breakers.states['* here'];
    },
  };
  return { breaker, breakers, changes };
}

describe('a breaker', () => {
  it('opens at exactly three failures in a row, and a success starts the row anew', async () => {
    const { breaker, changes } = open();
    for (const call of [bad, bad, good, bad, bad]) await breaker.run(call, always).catch(() => {});
    expect(breaker.state).toBe('closed');
    await expect(breaker.run(bad, always)).rejects.toThrow('500');
    expect(breaker.state).toBe('open');
    expect(changes).toEqual([['*', 'open']]);
    const called = jest.fn(good);
    await expect(breaker.run(called, always)).rejects.toBeInstanceOf(BreakerOpen);
    expect(called).not.toHaveBeenCalled();
  });

  it.each([
    ['closes', good, 'closed'],
    ['opens again', bad, 'open'],
  ] as const)('allows one trial after the cooldown, and %s', async (_, trial, state) => {
    const { breaker } = open();
    for (let i = 0; i < 3; i++) await breaker.run(bad, always).catch(() => {});
    jest.advanceTimersByTime(COOLDOWN - 1);
    expect(breaker.state).toBe('open');
    jest.advanceTimersByTime(1);
    expect(breaker.state).toBe('half-open');
    const running = breaker.run(trial, always).catch(() => {});
    await expect(breaker.run(good, always)).rejects.toBeInstanceOf(BreakerOpen);
    await running;
    expect(breaker.state).toBe(state);
  });

  it('begins anew with another cooldown, and says that it is closed', async () => {
    const { breaker, breakers, changes } = open();
    for (let i = 0; i < 3; i++) await breaker.run(bad, always).catch(() => {});
    breakers.options = { failures: 3, cooldownMs: COOLDOWN, scope: 'pipeline' };
    expect(breaker.state).toBe('open');
    breakers.options = { failures: 1, cooldownMs: 1_000, scope: 'pipeline' };
    expect([breakers.states, changes]).toEqual([
      {},
      [
        ['*', 'open'],
        ['*', 'closed'],
      ],
    ]);
    // What was under way meanwhile is no failure of the new one.
    let fail: (error: Error) => void = () => {};
    const late = breaker.run(() => new Promise<string>((_, reject) => (fail = reject)), always);
    breakers.options = { failures: 1, cooldownMs: 2_000, scope: 'pipeline' };
    fail(new Error('500'));
    await expect(late).rejects.toThrow('500');
    expect([breaker.state, changes.length]).toEqual([undefined, 2]);
    expect(await breaker.run(good, always)).toBe('good');
    await breaker.run(bad, always).catch(() => {});
    jest.advanceTimersByTime(1_999);
    expect(breaker.state).toBe('open');
  });

  it('has no timer but the one of its cooldown, however many endpoints and threads there are', async () => {
    const { breakers } = open();
    for (const endpoint of ['here', 'there', 'elsewhere']) await breakers.run(endpoint, 'auto', good, always);
    expect(jest.getTimerCount()).toBe(0);
    for (let i = 0; i < 3; i++) await breakers.run('here', 'auto', bad, always).catch(() => {});
    expect(jest.getTimerCount()).toBe(1);
    breakers.options = { failures: 3, cooldownMs: 1, scope: 'pipeline' };
    expect(jest.getTimerCount()).toBe(0);
  });

  it("neither counts nor forgets because of a caller's mistake", async () => {
    const { breaker } = open();
    const never = (): boolean => false;
    for (let i = 0; i < 9; i++) await breaker.run(bad, never).catch(() => {});
    expect(breaker.state).toBe('closed');
    for (let i = 0; i < 2; i++) await breaker.run(bad, always).catch(() => {});
    await breaker.run(bad, never).catch(() => {});
    expect(breaker.state).toBe('closed');
    await breaker.run(bad, always).catch(() => {});
    expect(breaker.state).toBe('open');
    jest.advanceTimersByTime(COOLDOWN);
    await breaker.run(bad, never).catch(() => {});
    expect(breaker.state).toBe('open');
  });

  it('guards an endpoint for all stages, or each stage by itself', async () => {
    for (const [scope, states] of [
      ['pipeline', { '* here': 'open', '* there': 'closed' }],
      ['stage', { 'auto here': 'closed', 'full here': 'closed', 'auto there': 'closed' }],
    ] as const) {
      const { breakers } = open(scope);
      for (const stage of ['auto', 'full', 'auto'])
        await breakers.run('here', stage, bad, always).catch(() => {});
      await breakers.run('there', 'auto', good, always);
      expect(breakers.states).toEqual(states);
    }
  });
});
