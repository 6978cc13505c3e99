import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: the nearest one above this file that holds `config/default.yaml`. */
export const packageFolder = (): string => folderWith(join('config', 'default.yaml')) ?? process.cwd();

/** The nearest folder above this file that holds a file; undefined where none does, as in a bundle that is not ours. */
export function folderWith(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name))) {
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return folder;
}
