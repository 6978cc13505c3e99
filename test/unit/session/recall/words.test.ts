import fc from 'fast-check';
import { wordsOfQuery } from '../../../../src/session/recall/words.js';

it('a name gives itself and its pieces as words of a query', () => {
  expect(wordsOfQuery('src/loadAll_v2.ts')).toEqual(['src/loadall_v2.ts', 'src', 'load', 'all', 'v2', 'ts']);
  expect(wordsOfQuery('  ')).toEqual([]);
  expect(wordsOfQuery('Straße STRASSE ﬁle')).toEqual(['straße', 'strasse', 'file']);
  expect(wordsOfQuery('東京都の人')).toEqual(['東京', '京都', '都の', 'の人']);
  expect(wordsOfQuery(`ok ${'x'.repeat(500)}`)).toEqual(['ok']);
});

it('the words of any text hold no operator of an index', () => {
  const words = fc.string({ unit: 'binary', maxLength: 200 }).map(wordsOfQuery);
  fc.assert(
    fc.property(words, (all) => {
      for (const word of all) expect(word).toMatch(/^[\p{L}\p{N}\p{M}_./:@-]+$/u);
    }),
  );
});

it('a name in ASCII is cut at the same places as any other', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom(...'abCD09_'), minLength: 1, maxLength: 6 }));
  fc.assert(
    fc.property(pieces, (all) => {
      const name = ['x', ...all].join('.');
      const other = wordsOfQuery(`ö${name.replaceAll('a', 'ä').replaceAll('C', 'Ç')}`);
      const inAscii = other.map((word) => word.replaceAll('ä', 'a').replaceAll('ç', 'c'));
      expect(inAscii.map((word) => word.replace(/^öx/, 'yx'))).toEqual(wordsOfQuery(`y${name}`));
    }),
  );
});
