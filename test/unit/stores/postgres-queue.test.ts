import pg from 'pg';
import type { Json } from '../../../src/spi/index.js';
import { PostgresQueue } from '../../../src/stores/postgres/queue.js';
import { postgresOfFile } from '../../support/postgres.js';

const server = postgresOfFile();
const opened: { readonly queue: PostgresQueue; readonly pool: pg.Pool }[] = [];
afterEach(async () => {
  for (const { queue, pool } of opened.splice(0)) {
    await queue.stop();
    await pool.end();
  }
});

/** As another process would open it. */
function open(url: string): PostgresQueue {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  const queue = new PostgresQueue(pool);
  opened.push({ queue, pool });
  return queue;
}

const forever = new AbortController().signal;
const job = { key: 'a', body: { text: 'NUL \0 and "quotes"' } };

describe('the queue in PostgreSQL', () => {
  it('can be created by two clients at once, and takes a job once, also after it is done', async () => {
    const url = await server.create();
    const [one, other] = [open(url), open(url)];
    const both = await Promise.all([one.enqueue(job), other.enqueue(job)]);
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    const done: Json[] = [];
    other.work(async (body) => {
      done.push(body);
      return body;
    });
    expect(await Promise.all(both.map(({ ended }) => ended(forever)))).toEqual([job.body, job.body]);
    const again = await one.enqueue(job);
    expect(again.isNew).toBe(false);
    expect(await again.ended(forever)).toEqual(job.body);
    expect(done).toEqual([job.body]);
  });

  it('gives a job that one worker rejected, and one that another stopped, to the next worker', async () => {
    const url = await server.create();
    const [refuses, hangs, works] = [open(url), open(url), open(url)];
    let refused = (): void => undefined;
    const refusing = new Promise<void>((resolve) => (refused = resolve));
    refuses.work(() => {
      refused();
      return Promise.reject(new Error('not mine'));
    });
    const { ended } = await refuses.enqueue(job);
    await refusing;
    await refuses.stop();
    let began = (): void => undefined;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    hangs.work((_, signal) => {
      began();
      return new Promise<Json>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    await beginning;
    await hangs.stop();
    works.work(() => Promise.resolve('done'));
    const known = await works.enqueue(job);
    expect(known.isNew).toBe(false);
    expect(await known.ended(forever)).toBe('done');
    // A stopped queue does not wait.
    expect(await ended(forever)).toBeUndefined();
    await expect(hangs.enqueue(job)).rejects.toThrow('stopped');
  });

  it('stops waiting when the signal says so', async () => {
    const { ended } = await open(await server.create()).enqueue(job);
    expect(await ended(AbortSignal.abort())).toBeUndefined();
    const late = new AbortController();
    const waited = ended(late.signal);
    late.abort();
    expect(await waited).toBeUndefined();
  });

  it('reports that it has no permission to be created, and works once it has', async () => {
    const url = await server.create();
    const name = new URL(url).pathname.slice(1);
    await server.run(url, `create role guest login password 'guest'`);
    const queue = open(Object.assign(new URL(url), { username: 'guest', password: 'guest' }).href);
    await expect(queue.enqueue(job)).rejects.toThrow('permission denied');
    await server.run(url, `grant create on database ${name} to guest`);
    expect((await queue.enqueue(job)).isNew).toBe(true);
  });
});
