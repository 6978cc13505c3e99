import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readSession } from '../../../src/faces/importers/index.js';
import { packageFolder, replaySession } from '../../../src/index.js';
import { started, type Started } from '../service/support.js';

/** The budget of `npm start`: small enough that every stage opens. */
const BUDGET = 5_000;

export const FILE = join(packageFolder(), 'examples', 'sessions', 'pressure-gauge.jsonl');

/** A service with the bundled session in it, under the name `demo`. */
export async function withSession(
  settings: Parameters<typeof started>[1] = {},
  more: Parameters<typeof started>[2] = {},
  name = 'demo',
): Promise<Started> {
  const service = await started(BUDGET, settings, more);
  await feed(service, name);
  return service;
}

export async function feed(service: Started, name: string): Promise<void> {
  const { parsed } = await readSession(FILE);
  const session = await service.session(name);
  for await (const call of replaySession(session, parsed.messages))
    if (call.prepared) await session.observe({ inputTokens: call.tokens, outputTokens: 0 });
}

/** Opens a view of the page. */
export async function look(page: Page, { url }: Started, view = ''): Promise<void> {
  await page.goto(`${url}/#/${view}`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
