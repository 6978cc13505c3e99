import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReferenceIndex, type Identifier } from '../../../../src/facts/index.js';
import { MostNeeded } from '../../../../src/outline/claims/most-needed.js';
import { WordList } from '../../../../src/outline/claims/word-list.js';
import { logOf, step, user } from './logs.js';

/** Paths, their ends and their beginnings: words that take each other's place. */
const path = fc
  .array(fc.constantFrom('src', 'pressure', 'gauge', 'read_gauge', 'walk-tree'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => `${names.join('/')}.ts`);
const output = fc
  .array(path, { minLength: 1, maxLength: 30 })
  .map((paths) => paths.map((one, i) => `${one}:${i + 10} readGauge${i}`).join('\n'));
const talk = fc
  .array(fc.tuple(path, output), { minLength: 1, maxLength: 6 })
  .map((steps) =>
    logOf([
      user('Look at the gauge.'),
      ...steps.map(([file, read]) => step('Read', { file_path: file }, read)),
    ]),
  );

function wordsOf(log: ReturnType<typeof logOf>): Identifier[] {
  const references = new ReferenceIndex(log);
  references.catchUp();
  return [...references.identifiers.all()];
}

function listOf(log: ReturnType<typeof logOf>, words: readonly Identifier[]): WordList {
  let next = 0;
  return new WordList(log, () => words[next++]);
}

describe('the list of words', () => {
  it('says the same of a size, whichever sizes it was asked for before', () => {
    fc.assert(
      fc.property(
        talk,
        fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 5 }),
        (log, sizes) => {
          const words = wordsOf(log);
          const asked = listOf(log, words);
          for (const size of sizes) expect(asked.linesOf(size)).toEqual(listOf(log, words).linesOf(size));
        },
      ),
    );
  });

  it('leaves out a word that a longer one of the list says, but not before the longer one came', () => {
    const log = logOf(step('Bash', { command: 'ls' }, '/home/a/src/pressure/gauge.ts'));
    const whole = wordsOf(log).reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
    const { text, end } = whole;
    const part = { ...whole, start: text.indexOf('pressure'), end: end - '.ts'.length };
    const list = listOf(log, [part, whole]);
    expect(list.linesOf(1_000)).toEqual([`ls: ${text}`]);
    expect(list.linesOf(1)).toEqual(['ls: pressure/gauge']);
  });
});

describe('the order of words', () => {
  it('draws every word once, the most needed first, and of equals that of the lower hash', () => {
    const need = fc.record({ hash: fc.nat(1_000), need: fc.integer({ min: -3, max: 3 }) });
    fc.assert(
      fc.property(fc.uniqueArray(need, { selector: ({ hash }) => hash }), (needs) => {
        const ranked = new MostNeeded();
        for (const { hash, need: one } of needs) ranked.add({ hash } as Identifier, one);
        const drawn = Array.from({ length: needs.length + 1 }, () => ranked.draw()?.hash);
        const sorted = needs.toSorted((a, b) => b.need - a.need || a.hash - b.hash);
        expect(drawn).toEqual([...sorted.map(({ hash }) => hash), undefined]);
      }),
    );
  });
});
