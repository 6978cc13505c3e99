import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderWith } from './package-folder.js';

type Import = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** A file at the top of the build output and of the sources. */
const IMPORTER = 'import-module.cjs';

/** Imports a user's module, also from a bundle or compiled code, in which a direct `import()` does not work. */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = folderWith(IMPORTER);
  if (folder === undefined) throw new Error(`${IMPORTER} is not there: leave spillway out of your bundle`);
  const load = createRequire(import.meta.url)(join(folder, IMPORTER)) as Import;
  return load(pathToFileURL(file).href);
}
