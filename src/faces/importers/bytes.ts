import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { SpillwayError } from '../../errors/index.js';

const READ_FAULTS: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  ENOENT: ['no such file', 'Check the path.'],
  EACCES: ['no permission to read it', 'Give the user who runs Spillway read permission.'],
  EPERM: ['no permission to read it', 'Give the user who runs Spillway read permission.'],
  EISDIR: ['a directory', 'Name one session file inside it.'],
};

/** The error for a file that the system could not read. */
export function unreadable(path: string, cause: unknown): SpillwayError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown';
  const [found, remedy] = READ_FAULTS[code] ?? [code, 'See the cause.'];
  return new SpillwayError('INPUT_UNREADABLE', { subject: path, found, remedy, cause });
}

export function wrongFormat(path: string, found: string, allowed: string, remedy: string): SpillwayError {
  return new SpillwayError('INPUT_FORMAT', { subject: path, found, allowed, remedy });
}

export const TEXT = 'UTF-8 text: JSON, or JSON Lines';

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The first chunk without its byte order mark. Throws `INPUT_FORMAT` if the chunk is not UTF-8 text. */
function checkedHead(path: string, head: Buffer): Buffer {
  // Compressed, UTF-16 and binary files have a NUL or invalid UTF-8 early on. The cut may split a 4-byte character.
  const isText = [4, 5, 6, 7].some((bytes) => isUtf8(head.subarray(0, bytes)));
  if (head.subarray(0, 4096).includes(0) || !isText)
    throw wrongFormat(
      path,
      'a packed or binary file, or UTF-16 text',
      TEXT,
      'Unpack it, or convert it to UTF-8.',
    );
  return head.subarray(0, 3).equals(UTF8_BOM) ? head.subarray(3) : head;
}

/** A file without a path: a browser's `File` or `Blob`, or an object with the same methods. */
export interface FileLike {
  readonly name?: string;
  readonly size: number;
  /** The bytes from `start` up to `end`, as in `Blob.slice`. */
  slice(start: number, end: number): Pick<Blob, 'arrayBuffer'>;
}

/** The name of the file in errors. */
export const nameOf = (file: string | FileLike): string =>
  typeof file === 'string' ? file : (file.name ?? 'file');

/** Bytes that are read to detect a format; a first line may be longer. */
export const HEAD_BYTES = 64 * 1024;

/**
 * A file's bytes in order: the first chunk is not empty and has no byte order mark; system errors become our own.
 * @internal A public declaration would require Node's types of users.
 */
export async function* chunksOf(file: string | FileLike): AsyncGenerator<Buffer> {
  const path = nameOf(file);
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const bytes of piecesOf(file)) {
      if (!head) {
        yield bytes;
        continue;
      }
      // A pipe gives few bytes at a time, and detecting the format needs more.
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
    const found = head.length === 0 ? 'an empty file' : 'only white space';
    throw wrongFormat(path, found, TEXT, 'Pass a recorded session.');
  }
  yield all;
}

const PIECE_BYTES = 1024 * 1024;

async function* piecesOf(file: string | FileLike): AsyncGenerator<Buffer> {
  if (typeof file === 'string')
    return yield* createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  for (let from = 0; from < file.size; from += PIECE_BYTES)
    yield Buffer.from(await file.slice(from, Math.min(file.size, from + PIECE_BYTES)).arrayBuffer());
}

/**
 * Bytes as text. `isDamaged` is true if some bytes are not UTF-8; each of them becomes the character U+FFFD.
 * @internal A public declaration would require Node's types of users.
 */
export function decode(pieces: readonly Buffer[]): { readonly text: string; readonly isDamaged: boolean } {
  const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  const text = bytes.toString('utf8');
  return { text, isDamaged: text.includes('\ufffd') && !isUtf8(bytes) };
}
