import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderWith } from './package-folder.js';

type Import = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** At the top of what was built, and of the sources. */
const IMPORTER = 'import-module.cjs';

/** What a module of a user's exports. `import()` out of the bundle too: from compiled code Node lets none out. */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = folderWith(IMPORTER);
  if (folder === undefined) throw new Error(`${IMPORTER} is not there: leave spillway out of your bundle`);
  const load = createRequire(import.meta.url)(join(folder, IMPORTER)) as Import;
  return load(pathToFileURL(file).href);
}
