import type { ReadSession } from './importer.js';
import { wrongFormat } from './reading/faults.js';
import { readLines } from './reading/json-lines.js';
import { chunksOf, HEAD_BYTES, type Progress } from './reading/source.js';
import { Utf8Check } from './reading/utf8-check.js';
import { readValue, readWhole } from './reading/whole.js';
import { formatNames } from './registry.js';

/** How a recorded session is read. */
export interface ReadOptions {
  /** A name from `formatNames`, or `auto` (the default): told from the file. */
  readonly format?: string;
  /** A longer line is skipped and named, without being held in memory. Default 256 MiB. */
  readonly maxLineBytes?: number;
  /** Called as the file is read, chunk by chunk. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Half of what a JavaScript string can hold. The longest line in our recorded sessions has 0.2 MB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Reads a recorded session. JSON Lines are streamed: besides the messages, no more than one line is held.
 * Throws `INPUT_UNREADABLE` or `INPUT_FORMAT`; single bad lines are skipped and named in the notices.
 */
export async function readSession(path: string, options: ReadOptions = {}): Promise<ReadSession> {
  const { format = 'auto', maxLineBytes = MAX_LINE_BYTES, onProgress } = options;
  if (format !== 'auto' && !formatNames.includes(format)) {
    const allowed = ['auto', ...formatNames].join(', ');
    throw wrongFormat('format', format, allowed, 'Name one of these, or leave it out.');
  }
  const check = new Utf8Check();
  const chunks = check.of(chunksOf(path, onProgress));
  try {
    const bytes = await firstOf(chunks);
    const head = bytes.toString('utf8', 0, HEAD_BYTES);
    const session = isWhole(head)
      ? await readWhole(path, format, bytes, chunks)
      : await readLines({ path, format, head, maxLineBytes }, bytes, chunks);
    if (!check.isDamaged) return session;
    const what = 'some of its bytes are no UTF-8 text; each reads as the mark \ufffd';
    const notices = [{ at: 'file', kind: 'not-utf8', what }, ...session.parsed.notices];
    return { ...session, parsed: { ...session.parsed, notices } };
  } finally {
    await chunks.return(undefined);
  }
}

/** Reads a file that is one JSON value, such as a request. Throws `INPUT_UNREADABLE` or `INPUT_FORMAT`. */
export async function readJson(path: string): Promise<unknown> {
  const chunks = chunksOf(path);
  try {
    return await readValue(path, await firstOf(chunks), chunks);
  } finally {
    await chunks.return(undefined);
  }
}

async function firstOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const first = await chunks.next();
  return first.done ? Buffer.alloc(0) : first.value;
}

/** One JSON value over the whole file: a list, or an object printed over several lines. */
function isWhole(head: string): boolean {
  const start = head.trimStart();
  if (start.startsWith('[')) return true;
  const [first = '', second] = start.split(/\r?\n/, 2).map((line) => line.trim());
  if (!first.startsWith('{') || second === undefined || first.endsWith('}')) return false;
  // A torn first line of JSON Lines breaks off anywhere and is followed by the next object.
  return /[{[,:]$/.test(first) || !second.startsWith('{');
}
