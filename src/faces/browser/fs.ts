/** `node:fs` without Node: only the files of `config/`. */
import { FILES } from './files.js';

/** Node's error for a missing file. */
export const missing = (path: string): Error =>
  Object.assign(new Error(`ENOENT: no such file, '${path}'`), { code: 'ENOENT', syscall: 'open' });

export const existsSync = (path: string): boolean => Object.hasOwn(FILES, path);

export function readFileSync(path: string): string {
  if (!existsSync(path)) throw missing(path);
  return FILES[path]!;
}

export function statSync(path: string): never {
  throw missing(path);
}
export const mkdirSync = statSync;
export const createReadStream = statSync;
export const copyFileSync = statSync;
export const constants = { COPYFILE_EXCL: 1 };

export default { constants, copyFileSync, createReadStream, existsSync, mkdirSync, readFileSync, statSync };
