import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonLines, prose, says, spillway, step, system, talk, temporaryFolder, user } from '../support.js';
import { tab } from './browser.js';
import { barriers } from '../../support/chromium.js';

/** Globals of the page, in which the functions given to `evaluate` run. */
declare const document: any;

const folder = temporaryFolder();

it('N10: the page of the bench draws its charts, requests nothing, and has no barriers (axe)', async () => {
  const session = folder.file(
    '<b>mill.jsonl',
    jsonLines([
      system('Be brief.'),
      user('Build a mill.'),
      ...step('read', { path: 'src/wheel.ts' }, `export const paddles42 = 1\n${prose(400, 1)}`),
      ...talk(14, 300),
      ...step('edit', { path: 'src/wheel.ts', old: 'paddles42' }, 'ok'),
      says('Done.'),
    ]),
  );
  const html = join(folder.path, 'bench.html');
  const args = ['bench', session, '--windows', '3000,90000', '--equal', '--prices', 'gpt-5', '--html', html];
  expect((await spillway(args)).code).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await tab({ colorScheme, viewport: { width: 1_100, height: 900 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const url = pathToFileURL(html).href;
    await page.goto(url);
    await page.getByRole('heading', { name: 'A window of 3,000' }).waitFor();
    const drawn = await page.evaluate(() =>
      [...document.querySelectorAll('figure')].map((figure: any) => {
        const canvas = figure.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return [data.some((value: number) => value > 0), figure.querySelectorAll('li').length];
      }),
    );
    expect(drawn).toEqual([
      [true, 3],
      [true, 3],
      [true, 3],
    ]);
    expect(await page.getByRole('row', { name: /^staged / }).count()).toBe(2);
    expect(await page.getByText('<b>mill.jsonl').count()).toBe(0);
    expect([asked, page.complaints]).toEqual([[url], []]);
    expect(await barriers(page)).toEqual([]);
  }
});
