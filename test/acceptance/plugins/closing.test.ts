import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSpillway } from '../../../src/index.js';
import { jsonLines, prose, quarter, read, spillway, talk, temporaryFolder, user } from '../support.js';

const folder = temporaryFolder();
const SESSION = folder.file('mill.jsonl', jsonLines([...talk(4, 100), user(prose(200))]));

/** A plugin that writes down each time it is opened and closed. */
function diary(): { readonly env: Record<string, string>; readonly read: () => string[] } {
  const path = join(folder.path, 'diary');
  mkdirSync(path, { recursive: true });
  const file = join(folder.path, 'diary.txt');
  const text = JSON.stringify(file);
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({ name: 'diary', type: 'module', main: './index.js', spillway: {} }),
  );
  writeFileSync(
    join(path, 'index.js'),
    `import { appendFileSync } from 'node:fs';
     export const plugin = () => ({
       open: () => appendFileSync(${text}, 'open\\n'),
       async close() { await null; appendFileSync(${text}, 'close\\n'); },
     });`,
  );
  return {
    env: { SPILLWAY_PLUGINS: JSON.stringify([path]) },
    read: () => readFileSync(file, 'utf8').trim().split('\n'),
  };
}

beforeEach(() => rmSync(join(folder.path, 'diary.txt'), { force: true }));

/** The plugin was opened, was closed as often, and the last line is a close. */
function expectClosed(lines: readonly string[]): void {
  const count = (what: string): number => lines.filter((line) => line === what).length;
  expect(count('open')).toBeGreaterThan(0);
  expect(count('close')).toBe(count('open'));
  expect(lines.at(-1)).toBe('close');
}

const store = (): string => `sqlite:${join(folder.path, 'kept.db')}`;

beforeAll(async () => {
  const engine = await createSpillway({ counter: quarter, store: store() });
  const session = await engine.open({ id: 'kept' });
  await session.append(...read([user('Go.'), ...talk(2, 50)]));
  await engine.close();
});

const DONE: readonly (readonly [what: string, args: () => string[]])[] = [
  ['compact', () => ['compact', SESSION, '--window', '16000']],
  ['compact with a guessed window', () => ['compact', SESSION, '--upto', '4']],
  ['replay', () => ['replay', SESSION, '--window', '64000']],
  ['bench', () => ['bench', SESSION, '--windows', '64000', '--policies', 'staged,agent']],
  ['demo', () => ['demo', '--window', '64000']],
  ['stages', () => ['stages']],
  ['config print', () => ['config', 'print']],
  ['history', () => ['history', 'kept', '--store', store()]],
  ['costs', () => ['costs', '--store', store()]],
];

const FAILED: readonly (readonly [what: string, args: () => string[]])[] = [
  ['compact that cannot fit', () => ['compact', SESSION, '--window', '60']],
  ['compact of what is no strategy', () => ['compact', SESSION, '--strategy', 'nothing']],
  ['replay that cannot write', () => ['replay', SESSION, '--window', '64000', '--report', folder.path]],
  ['bench with a profile that is none', () => ['bench', SESSION, '--policies', 'staged,nobody']],
  ['history of a session that is not there', () => ['history', 'nobody', '--store', store()]],
];

it.each(DONE)('K5: %s closes the plugins that it opened', async (_, args) => {
  const { env, read: lines } = diary();
  const { code, err } = await spillway(args(), env);
  expect([code, code === 0 ? '' : err]).toEqual([0, '']);
  expectClosed(lines());
});

it.each(FAILED)('K5: %s fails, and closes the plugins that it opened', async (_, args) => {
  const { env, read: lines } = diary();
  const { code } = await spillway(args(), env);
  expect(code).not.toBe(0);
  expectClosed(lines());
});

describe('a plugin that leaves a timer running', () => {
  const started = (...args: readonly string[]): ChildProcess => {
    const path = join(folder.path, 'clock');
    mkdirSync(path, { recursive: true });
    writeFileSync(
      join(path, 'package.json'),
      JSON.stringify({ name: 'clock', type: 'module', main: './index.js', spillway: {} }),
    );
    writeFileSync(
      join(path, 'index.js'),
      'export const plugin = { open: () => void setInterval(() => undefined, 1_000) };',
    );
    return spawn(process.execPath, ['--import', 'tsx', 'src/faces/cli/spillway.ts', ...args], {
      env: { ...process.env, SPILLWAY_PLUGINS: JSON.stringify([path]) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  const running: ChildProcess[] = [];
  afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));

  it('K5: does not keep a command from ending', async () => {
    const child = started('stages');
    running.push(child);
    let said = '';
    child.stdout!.on('data', (text) => (said += String(text)));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said).toContain('snip');
  }, 60_000);

  it('K5: does not keep a service from ending after SIGTERM', async () => {
    const child = started('serve', '--port', '0', '--quiet');
    running.push(child);
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  }, 60_000);
});
