import { exists, filesBelow, read } from './source.js';

interface Row {
  readonly id: string;
  readonly where: string;
  /** Below test/acceptance. Empty: not built. */
  readonly tests: readonly string[];
}

const ROW = /^\| ([A-Z]+-?\d+)\s*\|[^|]*\| ([^|]*?)\s*\| ([^|]*?)\s*\|$/gm;
const TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*['"`]([A-Z]+-?\d+)\b/g;

const rows = [...read('docs/features.md').matchAll(ROW)].map(([, id, where, tests]): Row => {
  return { id: id!, where: where!, tests: [...tests!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!) };
});

/** Feature ids that stand at the start of a title, by file. */
const titles = new Map(
  filesBelow('test/acceptance', /\.test\.ts$/).map((file) => [file, idsIn(read(`test/acceptance/${file}`))]),
);

function idsIn(text: string): Set<string> {
  return new Set([...text.matchAll(TITLE)].map(([, id]) => id!));
}

describe('docs/features.md', () => {
  it('lists every feature once', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('names only tests that exist, by the title that they bear', () => {
    const named = rows.flatMap(({ id, tests }) => tests.map((file) => ({ id, file })));
    expect(named.filter(({ file }) => !exists(`test/acceptance/${file}`))).toEqual([]);
    expect(named.filter(({ id, file }) => !titles.get(file)?.has(id))).toEqual([]);
  });

  it('names every acceptance test', () => {
    const borne = [...titles].flatMap(([file, ids]) => [...ids].map((id) => ({ id, file })));
    expect(
      borne.filter(({ id, file }) => !rows.some((row) => row.id === id && row.tests.includes(file))),
    ).toEqual([]);
  });

  it('says of every feature that is built where a user finds it', () => {
    expect(
      rows.filter(({ where, tests }) => tests.length > 0 && !/\w/.test(where)).map(({ id }) => id),
    ).toEqual([]);
  });
});
