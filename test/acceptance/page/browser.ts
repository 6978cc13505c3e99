import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { newTab, openChromium, type Tab } from '../../support/chromium.js';

let opened: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];

// An open tab keeps following the service, and sends requests at every event.
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});
afterAll(async () => {
  await (await opened?.catch(() => undefined))?.close();
});

/** A tab of its own, which ends with its test. */
export async function tab(options: BrowserContextOptions = {}): Promise<Tab> {
  opened ??= openChromium();
  const page = await newTab(await opened, { reducedMotion: 'reduce', ...options });
  const context = page.context();
  contexts.push(context);
  context.setDefaultTimeout(15_000);
  return page;
}
