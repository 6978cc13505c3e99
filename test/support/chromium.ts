import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { packageFolder } from '../../src/index.js';

/** Globals of the page, in which the functions given to `evaluate` run. */
declare const document: unknown;
declare const window: {
  readonly axe: {
    run(root: unknown, options: object): Promise<{ readonly violations: readonly Violation[] }>;
  };
  scrollTo(x: number, y: number): void;
};
interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly any: readonly { readonly message: string }[];
  }[];
}

const PACKAGE = join('node_modules', '@sparticuz', 'chromium', 'package.json');
const EXTRACT = `import { default as chromium } from '@sparticuz/chromium'; await chromium.executablePath();`;
/** A variable that makes the package also unpack the libraries that a bare machine lacks. */
const AS_BARE = { AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
const ARGS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'];

/** Opens the Chromium of its package, without an installation. Rejects with a sentence that names what is missing. */
export async function openChromium(): Promise<Browser> {
  const folder = extracted();
  const fonts = { FONTCONFIG_PATH: folder, FONTCONFIG_FILE: join(folder, 'fonts.conf') };
  const libraries = join(folder, 'al2023', 'lib');
  const launch = (env: Record<string, string>): Promise<Browser> =>
    chromium.launch({
      executablePath: join(folder, 'chromium'),
      args: ARGS,
      env: { ...(process.env as Record<string, string>), ...fonts, ...env },
    });
  try {
    return await launch({ LD_LIBRARY_PATH: libraries });
  } catch {
    return launch({}).catch((error: Error) => {
      throw new Error(
        `Chromium does not start on this machine (${process.platform} ${process.arch}; the package has it for Linux x64 with glibc): ${error.message}`,
      );
    });
  }
}

/** The path of the complete executable. Several processes may extract it at once. */
function extracted(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder(), PACKAGE), 'utf8')) as { version: string };
  const folder = join(tmpdir(), `spillway-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(join(tmpdir(), 'spillway-chromium-'));
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', EXTRACT], {
    cwd: packageFolder(),
    encoding: 'utf8',
    env: { ...process.env, ...AS_BARE, TMPDIR: own },
  });
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr.trim()}`);
  mkdirSync(join(own, 'cache'), { recursive: true });
  const dirs = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir>`;
  writeFileSync(join(own, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${dirs}</fontconfig>`);
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** A page, and the errors of its scripts and of refused requests. */
export type Tab = Page & { complaints: string[] };

/** A new tab without stored data. */
export async function newTab(browser: Browser, options: BrowserContextOptions): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = (await context.newPage()) as Tab;
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  return page;
}

const AXE = join('node_modules', 'axe-core', 'axe.min.js');

/** The accessibility violations that axe finds: serious or worse. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(join(packageFolder(), AXE), 'utf8'));
  const found = await page.evaluate(async () => {
    // If the page is scrolled, the bar above it may hide half a link.
    window.scrollTo(0, 0);
    const { violations } = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, impact, nodes }) => ({
      impact,
      text: `${id}: ${nodes
        .map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`)
        .slice(0, 3)
        .join(' | ')}`,
    }));
  });
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ text }) => text);
}
