import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { checkedHead } from './encoding.js';
import { TEXT, unreadable, wrongFormat } from './faults.js';

/** How far a file was read. */
export interface Progress {
  readonly bytesRead: number;
  /** 0 where it cannot be known, as with a pipe. */
  readonly bytesTotal: number;
}

/** How much is looked at to tell a format; a first line may be longer. */
export const HEAD_BYTES = 64 * 1024;

/**
 * A file's bytes in order: never an empty first chunk, without byte order mark, faults in our own words.
 * @internal Declared, it would ask users for the types of Node.
 */
export async function* chunksOf(
  path: string,
  onProgress?: (progress: Progress) => void,
): AsyncGenerator<Buffer> {
  const bytesTotal = await sizeOf(path);
  let bytesRead = 0;
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const bytes = chunk as Buffer;
      bytesRead += bytes.length;
      onProgress?.({ bytesRead, bytesTotal });
      if (!head) {
        yield bytes;
        continue;
      }
      // A pipe gives few bytes at a time; the format is told from enough of them.
      head = Buffer.concat([head, bytes]);
      if (head.length < HEAD_BYTES) continue;
      yield checkedHead(path, head);
      head = undefined;
    }
  } catch (cause) {
    throw cause instanceof Error && 'syscall' in cause ? unreadable(path, cause) : cause;
  }
  if (!head) return;
  const all = checkedHead(path, head);
  if (all.toString('utf8').trim() === '') {
    throw wrongFormat(
      path,
      bytesRead === 0 ? 'an empty file' : 'only white space',
      TEXT,
      'Pass a recorded session.',
    );
  }
  yield all;
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR' });
    return found.size;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
