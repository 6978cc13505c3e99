import { constants } from 'node:buffer';
import { parseJson, whyNotCopyable, writeJson } from '../../transcript/index.js';
import { isFields, kindOf } from '../../formats/index.js';
import {
  chunksOf,
  HEAD_BYTES,
  nameOf,
  TEXT,
  TextPieces,
  unreadable,
  Utf8Check,
  wrongFormat,
  type FileLike,
  type Progress,
} from './bytes.js';
import { readLines } from './json-lines.js';
import type { ImportedSession, LineImporter, ReadSession, Taken } from './recording.js';
import { formatNames, lineImporters, wholeImporters } from './registry.js';

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
 * Reads a recorded session, by its path or as a browser's `File`. JSON Lines are streamed: besides the messages, no more
 * than one line is held.
 * Throws `INPUT_UNREADABLE` or `INPUT_FORMAT`; single bad lines are skipped and named in the notices.
 */
export async function readSession(file: string | FileLike, options: ReadOptions = {}): Promise<ReadSession> {
  const path = nameOf(file);
  const { format = 'auto', maxLineBytes = MAX_LINE_BYTES, onProgress } = options;
  if (format !== 'auto' && !formatNames.includes(format)) {
    const allowed = ['auto', ...formatNames].join(', ');
    throw wrongFormat('format', format, allowed, 'Name one of these, or leave it out.');
  }
  const check = new Utf8Check();
  const chunks = check.of(chunksOf(file, onProgress));
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

/**
 * A file that is one JSON value: a recording, a request body, a list of messages, or of what would be lines.
 * @internal Declared, it would ask users for the types of Node.
 */
export async function readWhole(
  path: string,
  format: string,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<ReadSession> {
  const value = await readValue(path, first, rest);
  const { taken, session } = format === 'auto' ? told(path, value) : named(path, format, value);
  const how = format === 'auto' ? `${taken.name}: ${taken.mark}` : `${taken.name}, as it was named`;
  const { taken: _, parsed, ...about } = session;
  return {
    format: taken.name,
    how,
    parsed,
    ...about,
  };
}

/**
 * The one JSON value that a file is, its numbers as they are written. Throws `INPUT_FORMAT` where it is none.
 * @internal Declared, it would ask users for the types of Node.
 */
export async function readValue(path: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<unknown> {
  const text = await collect(path, first, rest);
  const value = parseWhole(path, text);
  const why = whyNotCopyable(value);
  if (why !== undefined) throw wrongFormat(path, why, TEXT, 'Record it again with less nesting.');
  return value;
}

interface Read {
  readonly taken: Taken;
  readonly session: ImportedSession;
}

function told(path: string, value: unknown): Read {
  const ofLines = Array.isArray(value) ? lineImporters.find((one) => knowsLines(one, value)) : undefined;
  if (ofLines)
    return {
      taken: { ...ofLines, mark: 'a list of what its lines would be' },
      session: readList(ofLines, value),
    };
  const importer = wholeImporters.find((one) => one.fits(value));
  if (importer) return { taken: importer, session: importer.read(value) };
  const found = isFields(value)
    ? `an object with ${Object.keys(value).slice(0, 5).join(', ')}`
    : kindOf(value);
  const remedy = 'Convert it to one of these; if it is one of these, name the format.';
  throw wrongFormat(path, found, formatNames.join(', '), remedy);
}

function named(path: string, format: string, value: unknown): Read {
  const importer = wholeImporters.find(({ name }) => name === format);
  if (importer) return { taken: importer, session: importer.read(value) };
  const ofLines = lineImporters.find(({ name }) => name === format)!;
  if (Array.isArray(value)) return { taken: ofLines, session: readList(ofLines, value) };
  const found = `${kindOf(value)} as one JSON value`;
  throw wrongFormat(path, found, 'JSON Lines', 'Name the format auto, or the one the file is in.');
}

/** As a line importer would see the head of the same objects, one a line. */
function knowsLines(importer: LineImporter, list: unknown): boolean {
  const head = (list as readonly unknown[]).slice(0, 5).map((item) => writeJson(item)!);
  return importer.recognises(head.join('\n'));
}

function readList(importer: LineImporter, list: unknown): ImportedSession {
  const reader = importer.open();
  (list as readonly unknown[]).forEach((item, index) => reader.take(item, index + 1));
  return reader.finish();
}

async function collect(path: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<string> {
  const text = new TextPieces();
  text.add(first);
  let bytes = first.length;
  for await (const chunk of rest) {
    text.add(chunk);
    bytes += chunk.length;
    if (bytes > constants.MAX_STRING_LENGTH) {
      throw wrongFormat(
        path,
        'one JSON value too long for a string',
        `at most ${constants.MAX_STRING_LENGTH} bytes`,
        'Write it as JSON Lines, one message a line; those are streamed.',
      );
    }
  }
  return text.take();
}

function parseWhole(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : unreadable(path, cause).message;
    throw wrongFormat(
      path,
      found,
      'one whole JSON value, or JSON Lines',
      'The file may be cut off; record it again.',
    );
  }
}
