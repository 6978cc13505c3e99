import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'test', 'mutations', 'rows');

/** One place of the sources and what stands there instead. By words and not by lines: edits nearby leave it alone. */
export interface Change {
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A behaviour taken out: the tests of its row must notice. */
export interface Mutation {
  readonly row: string;
  /** Of its file: the row, and behind a dot which of the row's promises where there is more than one mutation. */
  readonly name: string;
  /** What is taken out. */
  readonly what: string;
  readonly changes: readonly Change[];
}

/** All mutations, in the order of their rows. A row has a file, or several: `N7.json`, `N7.ended.json`. */
export function readMutations(): Mutation[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return names
    .map((file) => {
      const mutation = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Omit<Mutation, 'row' | 'name'>;
      const name = file.replace(/\.json$/, '');
      return { row: name.split('.')[0]!, name, ...mutation };
    })
    .sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

/** The file as it would be; throws a sentence that names the mutation where the sources have moved on. */
export function applied(name: string, { file, find, replace }: Change, text: string): string {
  const places = text.split(find).length - 1;
  if (places === 1) return text.replace(find, () => replace);
  throw new Error(
    `${name}: test/mutations/rows/${name}.json is stale: ${file} has ${places === 0 ? 'no' : places} places that say ${JSON.stringify(find)}`,
  );
}

const TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*['"`]([A-Z]+-?\d+)\b/g;

/** Files of acceptance tests by the rows that their titles begin with; paths from the root. */
export function testsByRow(): ReadonlyMap<string, readonly string[]> {
  const folder = join('test', 'acceptance');
  const found = new Map<string, Set<string>>();
  for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    const path = join(folder, name);
    for (const [, row] of readFileSync(join(ROOT, path), 'utf8').matchAll(TITLE))
      found.set(row!, (found.get(row!) ?? new Set()).add(path));
  }
  return new Map([...found].map(([row, paths]) => [row, [...paths].sort()]));
}
