import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../src/index.js';
import type { Started } from '../service/support.js';
import { tab } from './browser.js';
import { barriers } from '../../support/chromium.js';
import { look, withSession } from './support.js';

/** Globals of the page, in which the functions given to `evaluate` run. */
declare const document: any;
declare const innerWidth: any;

/** `SPILLWAY_TEST_WRITE=1` writes screenshots for a developer to look at. No test compares them. */
const writes = process.env['SPILLWAY_TEST_WRITE'] !== undefined;
const SHOTS = join(packageFolder(), 'test-artifacts', 'page');
const WIDTHS = [1440, 900, 390] as const;
const DEMO = 'sessions/demo/primary';
/** Every view, and the text that shows that it is loaded. */
const VIEWS: readonly (readonly [view: string, ready: string])[] = [
  ['', 'Saved per call'],
  [`${DEMO}/context`, 'as the model sees it'],
  [`${DEMO}/compactions/c3`, 'Keep judgement'],
  [`${DEMO}/compact`, 'No plan yet'],
  [`${DEMO}/ask/colours`, 'Passages about it'],
  [`${DEMO}/events`, 'completed'],
  ['inbox', 'waits since'],
  ['knobs', 'snipThreshold'],
];

let service: Started;
beforeAll(async () => {
  service = await withSession();
  await service.post('/sessions/demo/compact', { strategy: 'checkpoint', lower_threshold: 0.4 });
  mkdirSync(SHOTS, { recursive: true });
});

// Axe takes most of the time, so it checks each theme in one width: the narrowest or the widest. Overflow is checked in all.
describe.each([
  ['light', 390],
  ['dark', 1440],
] as const)('the Compactor page, %s', (colorScheme, axeWidth) => {
  it(`K15: has no barriers (axe, ${axeWidth} wide), and fits every width`, async () => {
    const page = await tab({ colorScheme, viewport: { width: axeWidth, height: 900 } });
    const found: string[] = [];
    for (const [view, ready] of VIEWS) {
      await page.setViewportSize({ width: axeWidth, height: 900 });
      await look(page, service, view);
      await page.getByText(ready).filter({ visible: true }).first().waitFor();
      found.push(...(await barriers(page)).map((one) => `${view}: ${one}`));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.getByText(ready).filter({ visible: true }).first().waitFor();
        const name = `${view === '' ? 'sessions' : view.replaceAll('/', '-')}-${width}-${colorScheme}.png`;
        if (writes) await page.screenshot({ path: join(SHOTS, name) });
        // Charts adapt to a new width a moment later.
        await page
          .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
          .catch(() => found.push(`${view} is wider than ${width}`));
        // A table may scroll; an opened row must not be cut.
        const isCut = await page.evaluate(() =>
          [...document.querySelectorAll('td.detail > *')].some(
            (one: any) => one.getBoundingClientRect().right > innerWidth,
          ),
        );
        if (isCut) found.push(`${view}: what is opened is cut at ${width}`);
      }
    }
    expect(found).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('what opens over the page, %s', (colorScheme) => {
  it('K15: has no barriers either (axe): drawers, dialogs, changed knobs', async () => {
    const page = await tab({ colorScheme, viewport: { width: 900, height: 900 } });
    const found: string[] = [];
    const check = async (what: string): Promise<void> => {
      if (writes) await page.screenshot({ path: join(SHOTS, `over-${what}-900-${colorScheme}.png`) });
      found.push(...(await barriers(page)).map((one) => `${what}: ${one}`));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };
    await look(page, service, `${DEMO}/context`);
    await page
      .getByRole('button', { name: /messages m2 … m\d+/ })
      .first()
      .click();
    await page
      .getByRole('button', { name: /m2 superseded/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: /As it was written/ })
      .waitFor();
    await check('drawer');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog').getByText('Use these keys').waitFor();
    await check('keys');
    await look(page, service, `${DEMO}/compactions/c3`);
    await page.getByRole('button', { name: 'Undo c3 and all later' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await check('undo');
    await look(page, service, 'knobs');
    await page.getByRole('textbox', { name: 'thresholds.snipThreshold, as a number' }).fill('0.7');
    await page.getByRole('button', { name: 'Discard the change: thresholds.snipThreshold' }).waitFor();
    await check('knobs');
    expect(found).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});

describe('the Compactor page, anywhere', () => {
  it('K15: opens in a browser that reports an invalid language', async () => {
    const page = await tab();
    await page.addInitScript(() => {
      Object.defineProperty((globalThis as any).navigator, 'language', {
        value: 'en-US@posix',
        configurable: true,
      });
    });
    await look(page, service, `${DEMO}/context`);
    await page.getByRole('img', { name: /Pressure of/ }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('K15: lists sessions by the first words of their user, and finds them by these words', async () => {
    const page = await tab();
    await look(page, service);
    const { body } = await service.get('/sessions');
    const [{ title }] = body.items;
    expect(title.length).toBeGreaterThan(20);
    const { body: first } = await service.get('/sessions/demo/messages/m1');
    expect(first.parts[0].text.replace(/\s+/g, ' ')).toContain(title.replace(/…$/, ''));
    await page.getByRole('link', { name: title.slice(0, 40) }).waitFor();
    await page.getByRole('textbox', { name: /Find a session/ }).fill(title.slice(5, 25));
    await page.getByRole('link', { name: title.slice(0, 40) }).click();
    await page.getByRole('heading', { name: title.slice(0, 40) }).waitFor();
  });

  it('K15: reaches the views of a session in a few tab stops, or with one key', async () => {
    const page = await tab();
    await look(page, service, `${DEMO}/context`);
    await page.getByRole('img', { name: /Pressure of/ }).waitFor();
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('To the views of this session');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Context and log');
    await page.evaluate(() => document.activeElement.blur());
    let stops = 0;
    do {
      await page.keyboard.press('Tab');
      stops++;
    } while ((await focused()) !== 'Why forgotten?' && stops < 100);
    expect(stops).toBeLessThan(20);
    await page.keyboard.press('4');
    const field = page.getByRole('textbox', { name: /What did the agent forget/ });
    await field.waitFor();
    await page.keyboard.press('/');
    expect(await field.evaluate((input: any) => input === document.activeElement)).toBe(true);
    // In a text field, a key types its letter.
    await page.keyboard.press('s');
    expect(await field.inputValue()).toBe('s');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('switch', { name: 'Use these keys' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('k');
    await page.keyboard.press('Tab');
    expect(await field.isVisible()).toBe(true);
  });

  it('K15: states the height of a peak that is higher than the chart', async () => {
    const page = await tab();
    await page.addInitScript(() => {
      const { prototype } = (globalThis as any).CanvasRenderingContext2D;
      const { fillText } = prototype;
      (globalThis as any).drawn = [];
      prototype.fillText = function (words: string, ...rest: unknown[]) {
        (globalThis as any).drawn.push(words);
        return fillText.call(this, words, ...rest);
      };
    });
    await page.route('**/sessions/demo/compactions?*', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.items.at(-1).plan.inputs.pressure = 4.52;
      await route.fulfill({ response: answer, json: body });
    });
    await look(page, service, `${DEMO}/context`);
    await page.getByRole('img', { name: /highest reading was 452\.0%/ }).waitFor();
    expect(await page.evaluate(() => (globalThis as any).drawn)).toContain('452%');
  });

  it('K15: shows clearly that the service is gone, and goes on when it is back', async () => {
    const own = await withSession();
    const page = await tab();
    let isGone = false;
    await page.route('**/api/v1/**', (route) => (isGone ? route.abort() : route.continue()));
    await page.addInitScript(() => {
      const { fetch } = globalThis as any;
      const ends: AbortController[] = [];
      (globalThis as any).hangUp = () => ends.forEach((end) => end.abort());
      (globalThis as any).fetch = (url: string, options: any = {}) => {
        if (!String(url).endsWith('/events')) return fetch(url, options);
        const end = new AbortController();
        ends.push(end);
        return fetch(url, { ...options, signal: (AbortSignal as any).any([options.signal, end.signal]) });
      };
    });
    await look(page, own, DEMO);
    await page.getByText('live', { exact: true }).waitFor();
    isGone = true;
    await page.evaluate(() => (globalThis as any).hangUp());
    const banner = page.getByRole('alert').filter({ hasText: 'What you see is from' });
    await banner.waitFor();
    await page.getByText('gone', { exact: true }).waitFor();
    if (writes) await page.screenshot({ path: join(SHOTS, 'gone-1280.png') });
    expect(await page.locator('main').getAttribute('data-stale')).toBe('true');
    await page.getByRole('link', { name: 'Why forgotten?' }).click();
    await page.getByRole('textbox', { name: /What did the agent forget/ }).fill('colours');
    await page.keyboard.press('Enter');
    await page.getByText('UNREACHABLE').waitFor();
    expect(await page.getByRole('region', { name: 'Passages' }).count()).toBe(0);
    isGone = false;
    await banner.waitFor({ state: 'hidden' });
    await page.getByText('live', { exact: true }).waitFor();
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

  it('K15: reports a service that does not answer, and a session that does not exist', async () => {
    const page = await tab();
    await page.route('**/api/v1/sessions?*', (route) => route.abort());
    await look(page, service);
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await page.unroute('**/api/v1/sessions?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'demo' }).waitFor();
    await look(page, service, 'sessions/nobody/primary');
    await page.getByRole('alert').getByText('SESSION_UNKNOWN').waitFor();
    await page.getByText('session "nobody" is not known').waitFor();
  });
});
