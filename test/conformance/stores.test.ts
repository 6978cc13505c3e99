import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStore } from '../../src/spi/index.js';
import { openStore } from '../../src/stores/index.js';
import { STORE_RULES } from '../../src/testkit/index.js';

const opened: SessionStore[] = [];
let folder: string | undefined;

async function open(url: string): Promise<SessionStore> {
  const store = await openStore(url);
  opened.push(store);
  return store;
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

describe('the memory store', () => {
  const inOneProcess = STORE_RULES.filter(({ reopens }) => !reopens);
  it.each(inOneProcess)('$id: $intent', async ({ check }) => {
    await check(() => open('memory:'));
  });
});

it.each(STORE_RULES)('the SQLite store $id: $intent', async ({ check }) => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-store-'));
  await check(() => open(`sqlite:${folder}/log.db`));
});
