import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** The current instructions of a source, or the reason why they cannot be read. */
export type Instructions =
  { readonly name: string; readonly text: string } | { readonly name: string; readonly fault: string };

/** A longer file is no instruction file. */
const MAX_BYTES = 1_000_000;

/** Reads files below a folder. A file outside it, links resolved, is refused; an unreadable file has a reason. */
export function readInstructions(files: readonly string[], root: string): Promise<readonly Instructions[]> {
  return Promise.all(files.map((name) => readOne(name, root)));
}

async function readOne(name: string, root: string): Promise<Instructions> {
  try {
    const [folder, file] = await Promise.all([realpath(root), realpath(resolve(root, name))]);
    const path = relative(folder, file);
    if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path))
      return { name, fault: 'lies outside pins.root' };
    const found = await stat(file);
    if (!found.isFile()) return { name, fault: 'is no file' };
    if (found.size > MAX_BYTES) return { name, fault: `has more than ${MAX_BYTES} bytes` };
    return { name, text: await readFile(file, 'utf8') };
  } catch (error) {
    return { name, fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` };
  }
}
