import { afterAll, afterEach } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openChromium } from '../../support/chromium.js';

let opened: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];

// A tab that is left open goes on following the service, and asks with every event.
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});
afterAll(async () => {
  await (await opened?.catch(() => undefined))?.close();
});

/** A tab of its own, with nothing remembered. Scripts' faults and refused scripts are told in `complaints`. */
export async function tab(options: BrowserContextOptions = {}): Promise<Page & { complaints: string[] }> {
  opened ??= openChromium();
  const context = await (await opened).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  contexts.push(context);
  context.setDefaultTimeout(15_000);
  const page = (await context.newPage()) as Page & { complaints: string[] };
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  return page;
}
