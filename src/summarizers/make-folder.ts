import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it. Not by the runtime's own `recursive`: that one never ends where a file system says of
 * a folder that is there that nothing is, as `/proc` does.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(resolve(path));
  if (path !== '' && above !== resolve(path)) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
