import type { SessionStore } from '../../src/spi/index.js';
import { openStore } from '../../src/stores/index.js';
import { STORE_RULES } from '../../src/testkit/index.js';
import { postgresOfFile } from '../support/postgres.js';

const server = postgresOfFile();
const opened: SessionStore[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

it.each(STORE_RULES)('the PostgreSQL store $id: $intent', async ({ check }) => {
  const url = await server.create();
  await check(async () => {
    const store = await openStore(url);
    opened.push(store);
    return store;
  });
});
