import type { Page } from 'playwright-core';
import { says, step, user } from '../support.js';
import { started, type Started } from '../service/support.js';
import { bearer, env, tokens } from '../service/tokens.js';
import { tab } from './browser.js';
import { look } from './support.js';

/** Globals of the page, in which the functions given to `evaluate` run. */
declare const sessionStorage: any;
declare const localStorage: any;
declare const document: any;

/** A service with tokens, and a compacted session that belongs to no tenant. */
async function guarded(messages: readonly object[], budget = 4_000): Promise<Started> {
  const service = await started(budget, { server: { tokens } } as never, { env });
  const ops = bearer(env.OPS);
  await service.post('/sessions', { id: 'weir' }, ops);
  await service.post('/sessions/weir/prepare', { request: { model: 'm', messages } }, ops);
  await service.post('/sessions/weir/observe', { input_tokens: 900, output_tokens: 9 }, ops);
  return service;
}

const talk = [user('Build the mill.'), says('It stands.'), user('And the weir?')];

async function enter(page: Page, word: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Enter' }).click();
}

describe('the Compactor page, with tokens', () => {
  it('N13: asks for a token, refuses a wrong one, keeps the right one in this tab only, and forgets it', async () => {
    const service = await guarded(talk);
    const page = await tab();
    await look(page, service, 'sessions/weir/primary');
    await enter(page, 'nobody-has-this-token-0123');
    await page.getByText('The service does not know this token.').waitFor();
    expect(await page.evaluate(() => JSON.stringify([sessionStorage.length, localStorage.length]))).toBe(
      '[0,0]',
    );
    await enter(page, env.OPS);
    await page.getByRole('heading', { name: /weir/ }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(env.OPS);
    await page.reload();
    await page.getByRole('heading', { name: /weir/ }).waitFor();
    expect(page.url()).not.toContain(env.OPS);
    await page.getByRole('button', { name: /^Your token: ops/ }).click();
    await page.getByRole('menuitem', { name: 'Forget the token' }).click();
    await page.getByLabel('Token', { exact: true }).waitFor();

    const other = await tab();
    await look(other, service);
    await enter(other, env.AGENT);
    await other.getByText('The token agent is for the proxy only.').waitFor();
  });

  it('N13: lets a viewer see everything and change nothing', async () => {
    const service = await guarded(talk);
    const { body: run } = await service.post(
      '/sessions/weir/compact',
      { strategy: 'checkpoint', lower_threshold: 0 },
      bearer(env.OPS),
    );
    expect(run.kind).toMatch(/pending|noop|unreachable/);
    const page = await tab();
    const changing: string[] = [];
    page.on('request', (request) => {
      if (!['GET', 'HEAD'].includes(request.method())) changing.push(`${request.method()} ${request.url()}`);
    });
    await look(page, service);
    await enter(page, env.WALL);
    await page.getByRole('link', { name: 'weir' }).click();
    await page
      .getByRole('button', { name: /user m0/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('Build the mill.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Roll back to m0' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Compact', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Knobs' }).click();
    await page.getByText('Your token lets you look.').waitFor();
    const knobs = page.locator(
      '.knob input:enabled:not([type=hidden]), .knob textarea:enabled, .knob button:enabled',
    );
    expect(await knobs.evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.slice(0, 160)))).toEqual([]);
    expect(changing).toEqual([]);
    // The service refuses the change too, independently of the page.
    const refused = await page.evaluate(async () => {
      const headers = {
        authorization: `Bearer ${sessionStorage.getItem('spillway.token')}`,
        'content-type': 'application/json',
      };
      const of = (path: string, body: object) =>
        fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return [(await of('/sessions/weir/undo', {})).status, (await of('/sessions/weir/compact', {})).status];
    });
    expect(refused).toEqual([403, 403]);
  });

  it('N13: does not show a tenant the sessions of others', async () => {
    const service = await guarded(talk);
    await service.post('/sessions', { id: 'wheel' }, bearer(env.MILL));
    await service.post(
      '/sessions/mill:wheel/prepare',
      { request: { model: 'm', messages: talk } },
      bearer(env.MILL),
    );
    const page = await tab();
    await look(page, service);
    await enter(page, env.MILL);
    await page.getByRole('link', { name: 'mill:wheel' }).waitFor();
    expect(await page.getByRole('region', { name: 'Table of sessions' }).textContent()).not.toContain('weir');
    await look(page, service, 'sessions/weir/primary/compactions');
    await page.getByRole('alert').getByText('SESSION_UNKNOWN').waitFor();
  });
});

const EVIL = [
  '<script>globalThis.ran = 1</script>',
  '<img src=x onerror="globalThis.ran = 2">',
  '<svg onload="globalThis.ran = 3"><a xlink:href="javascript:globalThis.ran=4">click</a></svg>',
  '<iframe srcdoc="<script>parent.ran = 5</script>"></iframe>',
  '[link](javascript:globalThis.ran=6) ${globalThis.ran = 7} {{constructor.constructor("ran=8")()}}',
  '</pre></td></table><style>body{display:none}</style>',
].join('\n');

it('K11: the Compactor page shows markup of a transcript as text in all views, and runs and loads nothing', async () => {
  const history = [
    user(`${EVIL}\nBuild the mill.`),
    ...Array.from({ length: 10 }, (_, i) => [
      ...step(
        '<b>read</b>'.replace(/[<>/]/g, '_'),
        { path: EVIL },
        `${EVIL} ${'wall '.repeat(300)}${i}`,
        EVIL,
      ),
      says(`${EVIL} wall ${i}`),
    ]).flat(),
    user(`${EVIL} What is left?`),
  ];
  const service = await guarded(history);
  const page = await tab();
  const loaded: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
      loaded.push(request.url());
  });
  page.on('dialog', (dialog) => {
    loaded.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await look(page, service);
  await enter(page, env.OPS);
  const views = ['context', 'compactions/c1', 'compact', `ask/${encodeURIComponent(EVIL)}`, 'events'];
  for (const view of views) {
    await look(page, service, `sessions/weir/primary/${view}`);
    await page.getByRole('heading', { name: /weir/ }).waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    for (const span of await page.locator('.span').all()) await span.click();
    if (view === 'context') {
      await page
        .getByRole('button', { name: /user m0/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('<script>globalThis.ran = 1</script>').first().waitFor();
      await page.keyboard.press('Escape');
    }
    if (view.startsWith('ask'))
      await page
        .getByText(/Not forgotten|Compacted out/)
        .first()
        .waitFor();
    expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined();
    expect(
      await page.locator('main script, main iframe, main img, main style:not([data-mantine-styles])').count(),
    ).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  }
  expect(loaded).toEqual([]);
  const { headers } = await service.get('/me', undefined, bearer(env.OPS));
  expect(headers.get('content-security-policy')).toMatch(/script-src 'self';/);
});
