import { join } from 'node:path';
import { createSpillway } from '../../src/index.js';
import { jsonLines, prose, spillway, step, system, talk, temporaryFolder, user } from './support.js';

/** Findings of a first adoption that have no row in features.md, by their numbers in docs/decisions/0062. */
const folder = temporaryFolder();
const CHAT = [
  system('Be brief.'),
  user('Build a mill.'),
  ...Array.from({ length: 30 }, (_, at) => [
    ...step('read', { path: `src/f${at}.ts` }, prose(260, at)),
    ...talk(1, 90, 400 + 2 * at),
  ]).flat(),
];
const FILE = folder.file('work.jsonl', jsonLines(CHAT));

describe('a first adoption', () => {
  it('adoption P1: config print --changed shows the settings that were set, and no defaults', async () => {
    const config = folder.file('own.yaml', 'target: 0.5\n');
    const print = async (...more: string[]) =>
      (await spillway(['config', 'print', ...more])).out.trim().split('\n');
    // These tests set the counter of the command line in its environment.
    const changed = await print('--config', config, '--changed');
    expect(changed.map((line) => line.split(' ')[0])).toEqual(['target', 'counter']);
    expect(changed[0]).toMatch(/^target += 0\.5 +# file .*own\.yaml/);
    expect((await print('--config', config)).length).toBeGreaterThan(80);
  });

  it('adoption P2: the error for an index that is no model call names the nearest index that is one', async () => {
    const at = CHAT.findIndex(({ role }) => role === 'tool');
    const { code, err } = await spillway([
      'replay',
      FILE,
      '--window',
      '4000',
      '--contexts-at',
      String(at),
      '--out',
      join(folder.path, 'contexts'),
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining(`found "${at} (a tool message)"`)]);
    expect(err).toContain(`; the nearest is ${at - 1}`);
  });

  it('adoption P3: the help lists the commands in groups', async () => {
    const { out } = await spillway(['--help']);
    const headings = [
      'Files:',
      'Services, stages, packages:',
      'Sessions of a store:',
      'Settings, demonstration:',
    ];
    const places = headings.map((heading) => out.indexOf(`\n${heading}`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    const [files, services, sessions] = places as [number, number, number, number];
    expect(out.slice(files, services)).toMatch(/ compact .* replay .* validate /s);
    expect(out.slice(sessions)).toMatch(/ history .* undo .* recall /s);
    expect((await spillway(['compact'])).err).toContain('(spillway compact --help says what it takes)');
    expect((await spillway(['config', 'print', '--x'])).err).toContain('(spillway config print --help says');
    expect((await spillway(['compct'])).err).toContain('(spillway --help lists the commands)');
  });

  it('adoption S11: the library reads no environment unless it is passed in, and the error for a key says so', async () => {
    const env = { SPILLWAY_TARGET: '0.5', MILL_KEY: 'of oak' };
    Object.assign(process.env, env);
    try {
      const summarizerModel = { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MILL_KEY' };
      const settings = { summarizer: 'model', summarizerModel } as const;
      await expect(createSpillway({ settings })).rejects.toThrow(
        /environment variable MILL_KEY.*createSpillway\(\{ env: process\.env \}\)/s,
      );
      const { config } = await createSpillway({ settings, env });
      expect([config.settings.target, config.origin('target')]).toEqual([0.5, 'env SPILLWAY_TARGET']);
      expect((await createSpillway()).config.settings.target).toBe(0.6);
    } finally {
      for (const name of Object.keys(env)) delete process.env[name];
    }
  });

  it('adoption S15: a lower target leads to fewer compactions, as the page for operators says', async () => {
    const compactions = async (target: number): Promise<number> => {
      const config = folder.file(`${target}.yaml`, `target: ${target}\n`);
      const { code, out, err } = await spillway(['replay', FILE, '--window', '4000', '--config', config]);
      expect(code).toBe(0);
      return Number(/(\d+) compactions/.exec(out + err)![1]);
    };
    expect(await compactions(0.35)).toBeLessThan(0.8 * (await compactions(0.65)));
  });
});
