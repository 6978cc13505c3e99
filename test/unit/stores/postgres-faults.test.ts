import { connect, createServer } from 'node:net';
import type { SpillwayError } from '../../../src/errors/index.js';
import { portOf } from '../../support/listening.js';
import { freePort, postgresOfFile } from '../../support/postgres.js';
import { cleanUp, fill, KEY, message, opened } from './support.js';

cleanUp();
/** Most that a store holds; each may have been cut. */
const CONNECTIONS = 10;
const server = postgresOfFile({ durable: true });

/** Every text that a person or a log could come to see. */
const shown = (error: SpillwayError): string =>
  JSON.stringify([error.message, error.faults, error.facts, error.stack]);

async function fault(url: string): Promise<SpillwayError> {
  const error = await opened(url).then(
    () => undefined,
    (thrown: SpillwayError) => thrown,
  );
  if (!error) throw new Error(`${url} was opened`);
  return error;
}

describe('a database of PostgreSQL', () => {
  it('that refuses the password is reported as denied, without the password', async () => {
    const url = (await server.create()).replace(server.password, 'w%40r0ng');
    const error = await fault(url);
    expect(error).toMatchObject({ code: 'STORE_DENIED', retryable: false });
    expect(error.message).toContain(`postgres://127.0.0.1:${server.port}/`);
    for (const secret of ['w%40r0ng', 'w@r0ng', server.password]) expect(shown(error)).not.toContain(secret);
  });

  it('that is not there, or whose server is not, is named with a hint', async () => {
    const url = await server.create();
    const missing = await fault(url.replace(/test_\d+$/, 'nobody_made_it'));
    expect(missing).toMatchObject({ code: 'STORE_FAILED', retryable: false });
    expect(missing.message).toContain('Create the database');
    const away = await fault(url.replace(`:${server.port}`, `:${await freePort()}`));
    expect(away).toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect(shown(away)).not.toContain(server.password);
    const unwritten = await fault(url.replace(server.password, 'p@ss:w/rd'));
    expect(unwritten.message).toContain('as %40, %3A and %2F');
    expect(unwritten.message).not.toMatch(/p@ss|w\/rd/);
  });

  it('whose user may not make tables, or may only read, is refused', async () => {
    const url = await server.create();
    await server.run(url, `create role guest login password 'g'; revoke create on schema public from public`);
    const guest = url.replace(/\/\/[^@]+@/, '//guest:g@');
    expect(await fault(guest)).toMatchObject({ code: 'STORE_DENIED' });
    await fill(await opened(url), 1);
    await server.run(url, 'grant select on all tables in schema public to guest');
    const reader = await opened(guest);
    expect((await reader.load(KEY))?.head.messages).toBe(1);
    const write = { messages: [message(1)] };
    await expect(reader.write(KEY, { messages: 1, entries: 0 }, write)).rejects.toMatchObject({
      code: 'STORE_DENIED',
    });
  });

  it('that loses a table while it is open is reported as a schema fault', async () => {
    const url = await server.create();
    const store = await opened(url);
    await server.run(url, 'drop table spillway_message');
    await expect(store.messages(KEY, 0)).rejects.toMatchObject({ code: 'STORE_SCHEMA' });
  });

  it('that crashes and restarts has all writes it confirmed, and the same store goes on', async () => {
    const url = await server.create();
    const store = await opened(url);
    const head = await fill(store, 5);
    // Calls under way when the power goes, and calls while it is away.
    const slow = server.run(url, 'select pg_sleep(60)').catch((error: Error) => error);
    const appending = (async () => {
      for (let done = head; ;) {
        try {
          done = (await store.write(KEY, done, { messages: [message(done.messages)] }))!;
        } catch (error) {
          return { done, error };
        }
      }
    })();
    await store.events(KEY);
    await server.crash();
    const { done, error } = await appending;
    expect(error).toMatchObject({ code: 'STORE_FAILED', retryable: true });
    await expect(store.load(KEY)).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect(await slow).toHaveProperty('message');
    await server.restart();
    const now = (await store.load(KEY))!.head;
    // The last one may have been done although its answer was lost; the error then says that it does not know.
    const unknown = (error as SpillwayError).facts.outcome === 'unknown' ? 1 : 0;
    expect(now.messages - done.messages).toBeGreaterThanOrEqual(0);
    expect(now.messages - done.messages).toBeLessThanOrEqual(unknown);
    expect(await fill(store, 1)).toEqual({ messages: now.messages + 1, entries: 0 });
    expect(await store.messages(KEY, 0)).toHaveLength(now.messages + 1);
  });

  it('whose connections an operator has cut is used over new ones', async () => {
    const url = await server.create();
    const store = await opened(url);
    await fill(store, 2);
    await server.run(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    // A call may meet a connection that is not yet known to be cut; each is met once.
    for (let met = 0; met < CONNECTIONS; met++)
      await store
        .load(KEY)
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_FAILED', retryable: true }));
    expect((await store.load(KEY))?.head.messages).toBe(2);
  });

  it('whose statement waits too long gives an error and is not changed, and the store goes on', async () => {
    const url = await server.create();
    const store = await opened(url, { patienceMs: 300 });
    const held = server
      .run(url, 'begin; lock table spillway_value in access exclusive mode; select pg_sleep(600)')
      .catch(() => undefined);
    const holder = `select pid from pg_locks where granted and mode = 'AccessExclusiveLock'
      and relation = 'spillway_value'::regclass`;
    while ((await server.run(url, holder)).length === 0);
    await expect(store.setValue('a', 'b', 1)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      retryable: true,
    });
    await server.run(url, `select pg_terminate_backend(pid) from (${holder}) as held`);
    await held;
    expect(await store.value('a', 'b')).toBeUndefined();
    await store.setValue('a', 'b', 2);
    expect(await store.value('a', 'b')).toBe(2);
  });

  it.each([0, 1, 2, 3])(
    'that does not answer after %d packets ends the start with an error that can be retried',
    async (most) => {
      const url = await server.create();
      await (await opened(url)).close();
      const way = createServer((client) => {
        const on = connect(server.port, '127.0.0.1');
        let left = most;
        client.on('data', (piece) => left-- > 0 && on.write(piece));
        on.on('data', (piece) => client.write(piece));
        for (const end of [client, on]) end.on('error', () => undefined);
        client.on('close', () => on.destroy());
      });
      const there = url.replace(`:${server.port}`, `:${await portOf(way)}`);
      const fault = { code: 'STORE_FAILED', retryable: true };
      await expect(opened(there, { patienceMs: 200 })).rejects.toMatchObject(fault);
    },
  );

  it('that stops answering gives errors that can be retried, and works over new connections later', async () => {
    const url = await server.create();
    let swallows = false;
    const way = createServer((client) => {
      const on = connect(server.port, '127.0.0.1');
      client.on('data', (piece) => swallows || on.write(piece));
      on.on('data', (piece) => swallows || client.write(piece));
      for (const end of [client, on]) end.on('error', () => undefined);
      client.on('close', () => on.destroy());
    });
    const there = url.replace(`:${server.port}`, `:${await portOf(way)}`);
    const store = await opened(there, { patienceMs: 200 });
    await fill(store, 1);
    swallows = true;
    await expect(store.load(KEY)).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
    await expect(store.setValue('a', 'b', 1)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      retryable: true,
    });
    swallows = false;
    expect((await store.load(KEY))?.head.messages).toBe(1);
    await store.close();
  });
});
