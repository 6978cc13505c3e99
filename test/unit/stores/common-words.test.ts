import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SessionStore } from '../../../src/spi/index.js';
import { startPostgres, type TestPostgres } from '../../support/postgres.js';
import { cleanUp, KEY, message, newFile, opened, START } from './support.js';

cleanUp();

/** A server is started, and thousands of messages are written. */
jest.setTimeout(240_000);

const COUNT = 5_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 240_000);
afterAll(() => server.stop());

const PLACES: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => 'memory:',
  sqlite: async () => `sqlite:${newFile()}`,
  postgres: () => server.create(),
};

async function filled(url: string): Promise<SessionStore> {
  const store = await opened(url);
  let head = START;
  while (head.messages < COUNT) {
    const messages = Array.from({ length: 1_000 }, (_, i) => {
      const seq = head.messages + i;
      const rare = seq === 17 ? ' with a zebra' : '';
      const tenth = seq % 10 === 0 ? ' in rain' : '';
      return message(seq, `the build of step${seq}${rare}${tenth}`);
    });
    head = (await store.write(KEY, head, { messages }))!;
  }
  return store;
}

describe.each(Object.keys(PLACES))('a search of words that thousands of messages hold: %s', (kind) => {
  it('gives the newest of them, and what is rare wherever it stands', async () => {
    const store = await filled(await PLACES[kind]!());
    const found = async (query: string, limit = 10): Promise<number[]> =>
      (await store.search(KEY, query, limit)).map(({ seq }) => seq);
    const common = await found('the build', 50);
    expect(common).toHaveLength(50);
    expect(Math.min(...common)).toBeGreaterThanOrEqual(COUNT - 2_000);
    expect((await found('the build of the zebra'))[0]).toBe(17);
    expect((await found('the build of step42'))[0]).toBe(42);
    const rain = await found('the build in rain', 20);
    expect(rain.filter((seq) => seq % 10 === 0)).toHaveLength(20);
  });
});
