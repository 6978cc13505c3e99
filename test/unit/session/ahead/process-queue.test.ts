import { describe, expect, it } from '@jest/globals';
import { ProcessQueue } from '../../../../src/session/ahead/process-queue.js';
import type { Json } from '../../../../src/spi/index.js';

const forever = new AbortController().signal;

/** A worker that waits to be let go, and tells what it was given. */
function gated() {
  const given: Json[] = [];
  const gates: (() => void)[] = [];
  const work = async (body: Json, signal: AbortSignal): Promise<Json> => {
    given.push(body);
    await new Promise<void>((resolve, reject) => {
      gates.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return `done ${String(body)}`;
  };
  return { given, gates, work };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

describe('the queue of one process', () => {
  it('does what is asked for twice once, and tells both', async () => {
    const { given, gates, work } = gated();
    const queue = new ProcessQueue(4);
    queue.work(work);
    const first = await queue.enqueue({ key: 'a', body: 'a' });
    const second = await queue.enqueue({ key: 'a', body: 'a' });
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    await turns();
    expect(given).toEqual(['a']);
    gates[0]!();
    expect(await Promise.all([first.ended(forever), second.ended(forever)])).toEqual(['done a', 'done a']);
    expect((await queue.enqueue({ key: 'a', body: 'a' })).isNew).toBe(true);
    await queue.stop();
  });

  it('does so many at a time, the others after them, and waits for a worker', async () => {
    const { given, gates, work } = gated();
    const queue = new ProcessQueue(1);
    const first = await queue.enqueue({ key: 'a', body: 'a' });
    const second = await queue.enqueue({ key: 'b', body: 'b' });
    await turns();
    expect(given).toEqual([]);
    queue.work(work);
    await turns();
    expect(given).toEqual(['a']);
    gates[0]!();
    expect(await first.ended(forever)).toBe('done a');
    await turns();
    expect(given).toEqual(['a', 'b']);
    gates[1]!();
    expect(await second.ended(forever)).toBe('done b');
  });

  it('answers a job that failed, or is waited for too long, with nothing', async () => {
    const queue = new ProcessQueue(2);
    queue.work(async (body) => {
      if (body === 'bad') throw new Error('no');
      return new Promise<Json>(() => undefined);
    });
    expect(await (await queue.enqueue({ key: 'bad', body: 'bad' })).ended(forever)).toBeUndefined();
    const hung = await queue.enqueue({ key: 'hung', body: 'hung' });
    expect(await hung.ended(AbortSignal.abort())).toBeUndefined();
    const late = new AbortController();
    const waited = hung.ended(late.signal);
    late.abort();
    expect(await waited).toBeUndefined();
  });

  it('ends what is under way when it is stopped, and takes no more', async () => {
    const { given, work } = gated();
    const queue = new ProcessQueue(1);
    queue.work(work);
    const running = await queue.enqueue({ key: 'a', body: 'a' });
    const waiting = await queue.enqueue({ key: 'b', body: 'b' });
    await turns();
    await queue.stop();
    expect(await running.ended(forever)).toBeUndefined();
    expect(await waiting.ended(forever)).toBeUndefined();
    expect(given).toEqual(['a']);
    await expect(queue.enqueue({ key: 'c', body: 'c' })).rejects.toThrow('stopped');
  });
});
