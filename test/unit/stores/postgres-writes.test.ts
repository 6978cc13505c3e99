import { connect, createServer } from 'node:net';
import type { SessionStore } from '../../../src/spi/index.js';
import { portOf } from '../../support/listening.js';
import { postgresOfFile } from '../../support/postgres.js';
import { cleanUp, fill, KEY, message, opened, START } from './support.js';

cleanUp();

const server = postgresOfFile();

/** A wire that counts how often the client speaks again after the server has answered. */
async function countingWire(url: string) {
  let trips = 0;
  let isAnswered = true;
  const wire = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1');
    const hangUp = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', hangUp).on('close', hangUp);
    client.on('data', (chunk) => {
      if (isAnswered) trips++;
      isAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
  });
  return {
    url: url.replace(`:${server.port}`, `:${await portOf(wire)}`),
    async tripsOf(work: () => Promise<unknown>): Promise<number> {
      const before = trips;
      await work();
      return trips - before;
    },
  };
}

const TOOK = { calls: 1, inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const USAGE = [{ line: 'primary' as const, model: 'm', ...TOOK, cost: 0.5, unpriced: 0 }];
const EVENTS = [{ kind: 'call', ref: '1', at: 1, body: { a: [1] } }];
const all = async (store: SessionStore) => ({
  thread: await store.load(KEY),
  messages: (await store.messages(KEY, 0)).map(({ id }) => id),
  entries: await store.entries(KEY, 0),
  events: await store.events(KEY),
  usage: await store.usage(KEY),
});

describe('a write to PostgreSQL', () => {
  it('that holds messages, entries, a checkpoint, events and usage is one round trip', async () => {
    const url = await server.create();
    const wire = await countingWire(url);
    const store = await opened(wire.url);
    const head = await fill(store, 2);
    const write = {
      messages: [message(2, 'thirdword')],
      entries: [{ kind: 'commit', at: 5, body: { text: 'x'.repeat(40_000) } }],
      checkpoint: { a: 1 },
      events: EVENTS,
      usage: USAGE,
    };
    let after: unknown;
    expect(await wire.tripsOf(async () => (after = await store.write(KEY, head, write)))).toBe(1);
    expect(after).toEqual({ messages: 3, entries: 1 });
    expect(await wire.tripsOf(() => store.note(KEY, EVENTS, USAGE))).toBe(1);
    expect(await all(await opened(url))).toEqual({
      thread: { head: after, checkpoint: { a: 1 }, checkpointAt: after },
      messages: ['m0', 'm1', 'm2'],
      entries: write.entries,
      events: [...EVENTS, ...EVENTS],
      usage: [{ ...USAGE[0], calls: 2, inputTokens: 18, cost: 1 }],
    });
  });

  it('on an outdated head stores nothing, whatever it holds', async () => {
    const url = await server.create();
    const store = await opened(url);
    const head = await fill(store, 2);
    await store.write(KEY, head, { checkpoint: { a: 1 }, events: EVENTS });
    const before = await all(store);
    for (const count of [1, 300]) {
      const messages = Array.from({ length: count }, (_, i) => message(1 + i));
      const late = { messages, entries: [{ kind: 'k', at: 1, body: 1 }], checkpoint: 2, events: EVENTS };
      expect(await store.write(KEY, { messages: 1, entries: 0 }, { ...late, usage: USAGE })).toBeUndefined();
    }
    expect(await all(store)).toEqual(before);
  });

  it('of many rows is one transaction: if an id is taken, nothing is stored', async () => {
    const store = await opened(await server.create());
    const head = await fill(store, 2);
    const many = Array.from({ length: 450 }, (_, i) => message(2 + i));
    const twice = [...many.slice(0, -1), { ...many.at(-1)!, id: 'm0' }];
    await expect(store.write(KEY, head, { messages: twice })).rejects.toMatchObject({
      code: 'MESSAGE_ID_TAKEN',
    });
    expect((await all(store)).messages).toEqual(['m0', 'm1']);
    expect(await store.write(KEY, head, { messages: many })).toEqual({ messages: 452, entries: 0 });
    expect((await all(store)).messages).toHaveLength(452);
  });

  it('goes on after the database was restored from a copy in which threads have other numbers', async () => {
    const url = await server.create();
    const store = await opened(url);
    await fill(store, 1);
    await server.run(url, 'update spillway_thread set id = default');
    await server.run(url, 'update spillway_message set thread_id = (select id from spillway_thread)');
    await store.note(KEY, EVENTS);
    expect(await store.events(KEY)).toEqual(EVENTS);
    expect(await store.write(KEY, { messages: 1, entries: 0 }, { messages: [message(1)] })).toEqual({
      messages: 2,
      entries: 0,
    });
  });

  it('is compressed with lz4 if the server has it', async () => {
    const url = await server.create();
    const store = await opened(url);
    await store.write(KEY, START, { messages: [message(0, 'word and '.repeat(4_000))] });
    const [has] = await server.run(
      url,
      "select 'lz4' = any (enumvals) as lz4 from pg_settings where name = 'default_toast_compression'",
    );
    const [row] = await server.run(url, 'select pg_column_compression(body) as by from spillway_message');
    expect(row.by).toBe(has?.lz4 ? 'lz4' : 'pglz');
  });
});
