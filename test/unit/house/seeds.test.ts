import { read } from './source.js';

const ROW = /\b(?:AC-\d\d|[SKARON]\d{1,2})\b/g;

/** Rows of the feature list with the tests that prove them. */
const rows = new Map(
  [...read('docs/features.md').matchAll(/^\| ([A-Z]+-?\d+) \|[^|]*\|([^|]*)\|([^|]*)\|$/gm)].map(
    ([, id, where, tests]) => [id!, { where: where!.trim(), tests: tests!.trim() }],
  ),
);

/** Second column of every table row that has one: the rows that a promise is kept by. */
const named = [...read('docs/promises.md').matchAll(/^\|[^|]+\|([^|]+)\|[^|]+\|$/gm)]
  .map(([, ids]) => ids!)
  .filter((ids) => ids.trim() !== 'row' && !ids.includes('---'));

describe('the table of promises', () => {
  it('names for each of them a row that is built and tested', () => {
    const unkept = named.flatMap((ids) => {
      const known = ids.match(ROW) ?? [];
      if (known.length === 0) return [`${ids.trim()} names no row`];
      return known.filter((id) => [undefined, '–'].includes(rows.get(id)?.tests));
    });
    expect([...new Set(unkept)]).toEqual([]);
  });

  it('leaves out no row of the five documents', () => {
    const kept = new Set(named.flatMap((ids) => ids.match(ROW) ?? []));
    const ofDocuments = [...rows.keys()].filter((id) => /^[SKARO]\d+$/.test(id));
    expect(ofDocuments).toHaveLength(70);
    expect(ofDocuments.filter((id) => !kept.has(id))).toEqual([]);
  });
});
