import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStore } from '../../../../src/spi/index.js';

const FOLDER = join('test', 'unit', 'stores', 'schema-v1');

/** The statements that make a database as the first release left it, rows included. */
export function schemaV1(kind: 'sqlite' | 'postgres', { rows = true } = {}): string {
  return [`${kind}.sql`, ...(rows ? ['rows.sql'] : [])]
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('\n');
}

/** Everything in those rows is read, and the thread goes on. */
export async function expectWhole(store: SessionStore): Promise<void> {
  const key = { sessionId: 's', agentPath: 'a\0b' };
  const head = { messages: 2, entries: 1 };
  expect(await store.load(key)).toEqual({
    head,
    checkpoint: { tail: [] },
    checkpointAt: { messages: 1, entries: 0 },
  });
  expect((await store.messages(key, 0, 1))[0]?.parts).toEqual([
    { type: 'text', text: 'keep the port 8080 \0' },
  ]);
  expect(await store.entries(key, 0)).toEqual([
    { kind: 'commit', at: 1_763_776_000_500, body: { plan: 'p1' } },
  ]);
  expect(await store.events(key, { ref: '1' })).toHaveLength(1);
  expect((await store.usage())[0]).toMatchObject({
    line: 'primary',
    calls: 2,
    cacheReadTokens: 20,
    cost: 0.5,
    unpriced: 1,
  });
  expect(await store.artifact('k')).toEqual({ text: 'bought' });
  expect(await store.values('knobs')).toEqual({ window: 8_000 });
  const [info] = await store.threads();
  expect(info).toEqual({ ...key, head, createdAt: 1_763_776_000_000, updatedAt: 1_763_776_001_000 });
  const [m1] = await store.messages(key, 1);
  expect(await store.write(key, head, { messages: [{ ...m1!, id: 'm2', seq: 2 }] })).toEqual({
    messages: 3,
    entries: 1,
  });
}
