import { isDeepStrictEqual } from 'node:util';
import { createServer, connect } from 'node:net';
import { portOf } from '../../support/listening.js';
import { postgresOfFile } from '../../support/postgres.js';
import { cleanUp, fill, KEY, message, opened, START } from './support.js';

cleanUp();

const server = postgresOfFile();

/** What commits: the end of a transaction, or a write that is one statement and by itself a transaction. */
const isWrite = (chunk: Buffer): boolean =>
  chunk.includes('commit') || chunk.includes('spillway/move') || chunk.includes('spillway/note');

type Cut = 'never' | 'before' | 'after' | 'after, and stays away';

/** A wire to the server that breaks at a commit: before the server has heard of it, or before its answer comes. */
async function breakingWire(): Promise<{ port: number; cutAt(cut: Cut): void }> {
  let cut: Cut = 'never';
  let isAway = false;
  const wire = createServer((client) => {
    if (isAway) return void client.destroy();
    const upstream = connect(server.port, '127.0.0.1');
    let silent = false;
    const hangUp = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', hangUp).on('close', hangUp);
    client.on('data', (chunk) => {
      if (cut === 'never' || !isWrite(chunk)) return void upstream.write(chunk);
      if (cut === 'before') {
        cut = 'never';
        return hangUp();
      }
      isAway = cut !== 'after';
      cut = 'never';
      silent = true;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => (silent ? hangUp() : client.write(chunk)));
  });
  return { port: await portOf(wire), cutAt: (at) => void (cut = at) };
}

/** The server may still be working when its answer is lost. */
async function until(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  for (let tries = 0; tries < 100 && !isDeepStrictEqual(await read(), wanted); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await read()).toEqual(wanted);
}

describe('a connection that breaks at a commit', () => {
  it.each(['after', 'before'] as const)(
    '%s the server received it gives an error with outcome unknown; reading shows the outcome',
    async (cut) => {
      const url = await server.create();
      const wire = await breakingWire();
      const store = await opened(url.replace(`:${server.port}`, `:${wire.port}`));
      const head = await fill(store, 2);
      const unknown = { code: 'STORE_FAILED', retryable: true, facts: { outcome: 'unknown' } };
      wire.cutAt(cut);
      await expect(store.write(KEY, head, { messages: [message(2)] })).rejects.toMatchObject(unknown);
      const messages = async () => (await store.load(KEY))?.head.messages;
      await until(messages, cut === 'after' ? 3 : 2);
      const events = [{ kind: 'call', ref: '1', id: 'w/1', at: 1, body: {} }];
      wire.cutAt(cut);
      await expect(store.note(KEY, events)).rejects.toMatchObject(unknown);
      await until(() => store.events(KEY), cut === 'after' ? events : []);
    },
  );

  it('gives an error with outcome unknown also if the server stays away', async () => {
    const url = await server.create();
    const wire = await breakingWire();
    const store = await opened(url.replace(`:${server.port}`, `:${wire.port}`));
    wire.cutAt('after, and stays away');
    const unknown = { code: 'STORE_FAILED', retryable: true, facts: { outcome: 'unknown' } };
    await expect(store.write(KEY, START, { messages: [message(0)] })).rejects.toMatchObject(unknown);
    expect((await (await opened(url)).load(KEY))?.head.messages).toBe(1);
  });
});
