import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: the nearest folder above this file with `config/default.yaml`. */
export const packageFolder = (): string => folderWith(join('config', 'default.yaml')) ?? process.cwd();

/** The nearest folder above this file that contains a file; undefined if there is none, as in a foreign bundle. */
export function folderWith(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name))) {
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return folder;
}
