import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, exportsOf, importsOf, read, ROOT, withoutComments } from './source.js';

interface Target {
  readonly browser: string;
  readonly default: string;
}
const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  imports: Record<string, Target>;
};

/** Doors that a page or a worker may open. */
const DOORS = ['index.ts', 'spi/index.ts', 'importers/index.ts', 'transcript/index.ts', 'adapters/index.ts'];
/** Reached by a name of `imports`, which in a browser is another module. */
const BEHIND = /^stores\/(?:sqlite|postgres)\//;

/** Every file that a bundler for browsers takes in. */
function reached(): Set<string> {
  const files = new Set<string>();
  const take = (file: string): void => {
    if (files.has(file) || BEHIND.test(file) || !exists(`src/${file}`)) return;
    files.add(file);
    for (const { to, isPackage, typeOnly } of importsOf(file)) if (!isPackage && !typeOnly) take(to);
  };
  DOORS.forEach(take);
  return files;
}

const NAMED = /^import (?:(\w+)(?:, )?)?(?:\{([^}]*)\} )?from '(node:[^']+)'/gm;

/** What files import of Node: `node:fs` and `readFileSync`, or `default`. */
const wanted = [...reached()].flatMap((file) =>
  [...withoutComments(read(`src/${file}`)).matchAll(NAMED)].flatMap(([, whole, names = '', from]) =>
    [...(whole === undefined ? [] : ['default']), ...names.split(',')]
      .map((name) => name.trim().split(' as ')[0]!)
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ file, from: from!.slice('node:'.length), name })),
  ),
);

const sourceOf = (name: string): string | undefined =>
  imports[`#${name}`]?.browser.replace('./dist/', 'src/').replace(/\.js$/, '.ts');

describe('the library in a browser', () => {
  it('takes of Node only what has something in its place', () => {
    expect(wanted.length).toBeGreaterThan(40);
    expect(wanted.filter(({ from }) => sourceOf(from) === undefined)).toEqual([]);
  });

  it('has every name there that is imported', () => {
    const faults = wanted.filter(({ from, name }) => {
      const source = sourceOf(from);
      return source !== undefined && name !== 'default' && !exportsOf(source).includes(name);
    });
    expect(faults).toEqual([]);
  });

  it('names files that exist, and for Node its own modules and ours', () => {
    for (const [name, { browser, default: own }] of Object.entries(imports)) {
      expect([name, exists(browser.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))]).toEqual([
        name,
        true,
      ]);
      if (!own.startsWith('./')) expect(own).toBe(name.slice(1));
    }
  });
});
