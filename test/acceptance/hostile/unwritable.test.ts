import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine, jsonLines, spillway, talk, temporaryFolder, user } from '../support.js';

/** Never asked. */
const NOBODY = { name: 'nobody', endpoint: 'nowhere', summarize: () => Promise.reject(new Error('asked')) };

const folder = temporaryFolder();
const FILE = folder.file('a-file', 'as it was');
const SESSION = folder.file('session.jsonl', jsonLines([user('Build a mill.'), ...talk(2, 100)]));

/** `/proc` takes no folders, and reports that it does not exist. */
const PLACES: readonly (readonly [string, string])[] = [
  ['below a file', join(FILE, 'below')],
  ['an empty name', ''],
  ['a device', '/dev/null/below'],
  ...(existsSync('/proc/self') ? ([['a file system of the kernel', '/proc/spillway/below']] as const) : []),
];

describe('places that cannot be written to', () => {
  it.each([...PLACES, ['a file', FILE] as const])(
    'init refuses in one line, and changes nothing: %s',
    async (_, place) => {
      const { code, out, err } = await spillway(['init', place]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^OUTPUT_UNWRITABLE: /);
      expect(err.trim().split('\n')).toHaveLength(1);
      expect(readFileSync(FILE, 'utf8')).toBe('as it was');
    },
  );

  it.each(PLACES.filter(([, place]) => place !== ''))(
    'compact refuses to write a result or a report there: %s',
    async (_, place) => {
      for (const option of ['--out', '--report']) {
        const { code, err } = await spillway([
          'compact',
          SESSION,
          '--window',
          '4000',
          option,
          join(place, 'result.json'),
        ]);
        expect([option, code, err.split(':')[0]]).toEqual([option, 1, 'OUTPUT_UNWRITABLE']);
      }
    },
  );

  it.each(PLACES.filter(([, place]) => place !== ''))(
    'the engine refuses them as a place for prompts: %s',
    async (_, place) => {
      const settings = { summarizer: 'model', fill: { prompts: place } } as const;
      await expect(engine(4_000, settings, { summarizer: NOBODY })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
    },
  );

  it('init and compact create the folders that are missing on the way', async () => {
    const place = join(folder.path, 'one', 'two');
    mkdirSync(join(folder.path, 'one'));
    expect((await spillway(['init', place])).code).toBe(0);
    const result = join(folder.path, 'three', 'four', 'result.json');
    expect((await spillway(['compact', SESSION, '--out', result])).code).toBe(0);
    expect([existsSync(join(place, 'spillway.yaml')), existsSync(result)]).toEqual([true, true]);
  });
});
