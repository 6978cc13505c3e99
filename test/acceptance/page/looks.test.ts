import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { packageFolder } from '../../../src/index.js';
import type { Started } from '../service/support.js';
import { tab } from './browser.js';
import { barriers, look, withSession } from './support.js';

/** Of the page, where what is handed to it runs. */
declare const document: any;
declare const innerWidth: any;

/** `SPILLWAY_TEST_WRITE=1` leaves photographs for whoever changes the page: to be looked at, never compared by a machine. */
const writes = process.env['SPILLWAY_TEST_WRITE'] !== undefined;
const SHOTS = join(packageFolder(), 'test-artifacts', 'page');
const WIDTHS = [1440, 900, 390] as const;
const DEMO = 'sessions/demo/primary';
/** Every view, and what is to be seen of it before it is looked at. */
const VIEWS: readonly (readonly [view: string, ready: string])[] = [
  ['', 'Saved per call'],
  [`${DEMO}/context`, 'as the model sees it'],
  [`${DEMO}/compactions/c3`, 'Keep judgement'],
  [`${DEMO}/carried`, 'Changed files'],
  [`${DEMO}/compact`, 'No plan yet'],
  [`${DEMO}/ask/colours`, 'What was said about it'],
  [`${DEMO}/events`, 'completed'],
  ['inbox', 'waits since'],
  ['knobs', 'snipThreshold'],
];

let service: Started;
beforeAll(async () => {
  service = await withSession();
  await service.ask('POST', '/sessions/demo/compact', { strategy: 'checkpoint', lower_threshold: 0.4 });
  mkdirSync(SHOTS, { recursive: true });
});

describe.each(['light', 'dark'] as const)('the Compactor page, %s', (colorScheme) => {
  it('K15: keeps nobody out (axe), and fits every width', async () => {
    const page = await tab({ colorScheme });
    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const [view, ready] of VIEWS) {
        await look(page, service, view);
        await page.getByText(ready).filter({ visible: true }).first().waitFor();
        const name = `${view === '' ? 'sessions' : view.replaceAll('/', '-')}-${width}-${colorScheme}.png`;
        if (writes) await page.screenshot({ path: join(SHOTS, name) });
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (isWide) found.push(`${view} at ${width} is wider than the screen`);
        if (width === 1440 || (width === 390 && colorScheme === 'light'))
          found.push(...(await barriers(page)).map((one) => `${view} at ${width}: ${one}`));
      }
    }
    expect(found).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});

describe('the Compactor page, by keyboard', () => {
  it('K15: reaches and opens everything without a pointer', async () => {
    const page = await tab();
    await look(page, service);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the content');
    await page.getByRole('link', { name: 'demo' }).focus();
    await page.keyboard.press('Enter');
    const original = page.getByRole('button', { name: /user m1/ }).first();
    await original.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('heading', { name: /As it was written/ }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('m1');
  });

  it('K15: says so where the service is away, and where nothing is there', async () => {
    const page = await tab();
    await page.route('**/api/v1/sessions?*', (route) => route.abort());
    await look(page, service);
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await page.unroute('**/api/v1/sessions?*');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('link', { name: 'demo' }).waitFor();
    await look(page, service, 'sessions/nobody/primary');
    await page.getByRole('alert').getByText('SESSION_UNKNOWN').waitFor();
  });
});
