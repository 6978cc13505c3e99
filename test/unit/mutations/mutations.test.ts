import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applied, readMutations, ROOT, testsByRow } from '../../mutations/mutation.js';

const MUTATIONS = readMutations();

it('every mutation says which words of which file it takes the place of', () => {
  for (const { name, changes } of MUTATIONS) {
    const texts = new Map<string, string>();
    for (const change of changes) {
      const text = texts.get(change.file) ?? readFileSync(join(ROOT, change.file), 'utf8');
      const changed = applied(name, change, text);
      expect(changed).not.toBe(text);
      texts.set(change.file, changed);
    }
  }
});

it('every mutation is of a row that has a test', () => {
  const tests = testsByRow();
  expect(MUTATIONS.filter(({ row }) => !tests.has(row)).map(({ row }) => row)).toEqual([]);
});

it('a mutation whose words have gone is named', () => {
  const change = { file: 'src/a.ts', find: 'two', replace: 'three' };
  expect(applied('S1', change, 'one two')).toBe('one three');
  expect(() => applied('S1', change, 'one')).toThrow(/^S1: .*S1\.json is stale: src\/a\.ts has no places/);
  expect(() => applied('S1', change, 'two two')).toThrow(/has 2 places/);
});
