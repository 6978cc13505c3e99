import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Import = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** What a module of a user's exports. `import()` out of the bundle too: from compiled code Node lets none out. */
export function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const load = createRequire(import.meta.url)(importer()) as Import;
  return load(pathToFileURL(file).href);
}

/** The nearest one above this file: it stands at the top of what was built, and of the sources. */
function importer(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'import-module.cjs'))) folder = dirname(folder);
  return join(folder, 'import-module.cjs');
}
