/** `node:fs/promises` without Node. */
import { FILES } from './files.js';
import { constants, missing, readFileSync } from './fs.js';

export { constants };

export const readFile = async (path: string): Promise<string> => readFileSync(path);

/** Names in a folder. */
export async function readdir(folder: string): Promise<string[]> {
  const start = `${folder}/`;
  const inside = Object.keys(FILES).filter((path) => path.startsWith(start));
  if (inside.length === 0) throw missing(folder);
  return [...new Set(inside.map((path) => path.slice(start.length).split('/')[0]!))];
}

export const stat = async (path: string): Promise<never> => {
  throw missing(path);
};
export const realpath = stat;
export const copyFile = stat;
export const mkdir = stat;

export default { constants, readFile, readdir, stat, realpath, copyFile, mkdir };
