/**
 * Checks the built site: what a first visit loads, which hosts it contacts, accessibility, and the playground's speed.
 *
 *   npm run site && npm run bench:site -- [--check] [--shots DIR]
 *
 * `--check` measures only visits, writes nothing, and fails if a visit loads too much, contacts another host, violates
 * accessibility rules, is wider than its window, or logs errors.
 *
 * The playground opens a session of 5 MB (made from a fixed seed). Redrawing is the time from the choice of another
 * call until its log and its request are shown.
 */
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createSpillway } from '../src/index.js';
import type { Message } from '../src/transcript/index.js';
import { barriers, newTab, openChromium } from '../test/support/chromium.js';
import { longSession } from './support/long-session.js';
import { provenance, saveResult } from './support/provenance.js';

/** Globals of the page, in which the functions given to `evaluate` run. */
declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  querySelector(where: string): Part | null;
};
declare const window: {
  requestAnimationFrame(done: () => void): void;
  readonly Event: new (name: string) => unknown;
};
interface Part {
  value: string;
  readonly textContent: string;
  dispatchEvent(event: unknown): void;
}

const SITE = join('site', '.vitepress', 'dist');
/** The most bytes that a first visit may load, compressed. */
const MOST_BYTES = 200_000;
const SESSION_BYTES = 5_000_000;
const REDRAWS = 20;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean', default: false }, shots: { type: 'string' } },
});
const command = `npm run bench:site -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
if (!existsSync(SITE)) throw new Error(`${SITE} does not exist: npm run site builds it.`);

function served(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, 'http://site').pathname));
    const file = fileAt(path);
    if (!existsSync(file) || statSync(file).isDirectory()) return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

const server = await served();
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await openChromium();

/** The page and all files that it names, compressed as hosts send them. Pages behind its links are prefetched later. */
function bytesOf(path: string): number {
  const html = readFileSync(fileAt(path), 'utf8');
  const named = [...html.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="(\/[^"]+)"/g)].map(
    ([, file]) => file!,
  );
  const files = [...new Set([path, ...named])].map(fileAt);
  return files.filter(existsSync).reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
}

const fileAt = (path: string): string => join(SITE, path.endsWith('/') ? join(path, 'index.html') : path);

/** The bytes that a visit loads until the page is shown, the other hosts that it contacts, and the findings of axe. */
async function visit(path: string, width: number, colorScheme: 'light' | 'dark') {
  const page = await newTab(browser, { viewport: { width, height: 900 }, colorScheme });
  const foreign = new Set<string>();
  page.on('response', (response) => {
    if (!response.url().startsWith(url)) foreign.add(response.url());
  });
  await page.goto(`${url}${path}`, { waitUntil: 'networkidle' });
  if (path.includes('playground')) await page.getByText('every call fits.').waitFor({ timeout: 120_000 });
  const isWide: boolean = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  if (flags.shots !== undefined) {
    mkdirSync(flags.shots, { recursive: true });
    const name = `${path.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}.png`;
    await page.screenshot({ path: join(flags.shots, name), fullPage: true });
  }
  const { complaints } = page;
  const barred = [...(await barriers(page))];
  if (path === '/') {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undo a compaction');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    barred.push(...(await barriers(page)));
  }
  await page.context().close();
  return {
    path,
    width,
    colorScheme,
    bytes: bytesOf(path),
    foreign: [...foreign],
    barriers: barred,
    isWide,
    complaints,
  };
}

/** A session of 5 MB as the body of a request. */
async function longFile(): Promise<{ readonly text: string; readonly messages: number }> {
  const messages: Message[] = [];
  let bytes = 0;
  for (const message of longSession(Infinity)) {
    messages.push(message);
    bytes += JSON.stringify(message).length;
    if (bytes >= SESSION_BYTES) break;
  }
  const session = (await createSpillway({ window: 0 })).session();
  session.append(...messages);
  const { messages: body } = await session.prepare();
  return { text: JSON.stringify({ model: 'gpt-4o', messages: body }), messages: messages.length };
}

async function playground() {
  const page = await newTab(browser, { viewport: { width: 1_280, height: 900 } });
  await page.goto(`${url}/playground.html`, { waitUntil: 'networkidle' });
  await page.getByText('every call fits.').waitFor({ timeout: 120_000 });
  const { text, messages } = await longFile();
  await page.getByLabel('Budget').fill('6');
  await page.getByText('every call fits.').waitFor({ timeout: 120_000 });
  const started = performance.now();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'long.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.getByText(`${messages.toLocaleString('en')} messages, read as`).waitFor({ timeout: 120_000 });
  const openedMs = performance.now() - started;
  await page.getByText(/calls of the model/).waitFor({ timeout: 120_000 });
  const firstCallsMs = performance.now() - started;
  await page.getByText('every call fits.').waitFor({ timeout: 300_000 });
  const playedMs = performance.now() - started;
  const redraws: number[] = [];
  for (let i = 0; i < REDRAWS; i++) {
    const call = 200 + 40 * i;
    redraws.push(
      await page.evaluate(async (to: number) => {
        const slider = document.querySelector('#gates-call')!;
        const began = performance.now();
        slider.value = String(to);
        slider.dispatchEvent(new window.Event('input'));
        const heading = `Call ${to + 1}:`;
        while (!document.querySelector('.beside h2')?.textContent.startsWith(heading))
          await new Promise((done) => window.requestAnimationFrame(() => done(undefined)));
        return performance.now() - began;
      }, call),
    );
  }
  redraws.sort((a, b) => a - b);
  const result = {
    bytes: text.length,
    messages,
    openedMs,
    firstCallsMs,
    playedMs,
    redrawMs: { median: redraws[REDRAWS / 2], most: redraws.at(-1) },
    complaints: page.complaints,
  };
  await page.context().close();
  return result;
}

const visits = [
  await visit('/', 1_280, 'light'),
  await visit('/', 380, 'dark'),
  await visit('/guides/drop-in.html', 1_280, 'light'),
  await visit('/reference/spillway/ai-sdk.html', 380, 'light'),
  await visit('/bench.html', 380, 'dark'),
  await visit('/playground.html', 1_280, 'light'),
  await visit('/playground.html', 380, 'dark'),
];
if (flags.check) {
  const bad = visits.filter(
    ({ path, bytes, foreign, barriers: found, isWide, complaints }) =>
      foreign.length + found.length + complaints.length > 0 || isWide || (path === '/' && bytes > MOST_BYTES),
  );
  console.log(`${visits.length} visits of the site, ${bad.length} with faults`);
  if (bad.length > 0) {
    console.dir(bad, { depth: 5 });
    process.exitCode = 1;
  }
} else {
  const result = { visits, playground: await playground() };
  console.dir(result, { depth: 5 });
  console.log(`written to ${saveResult('site', command, result, loaded)}`);
}
await browser.close();
server.close();
