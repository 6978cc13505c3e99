import { constants } from 'node:buffer';
import type { Notice } from '../../spi/index.js';
import { parseJson, whyNotCopyable, writeJson } from '../../transcript/index.js';
import { formats, isFields, jsonIn, kindOf } from '../../formats/index.js';
import { chunksOf, decode, HEAD_BYTES, nameOf, TEXT, wrongFormat, type FileLike } from './bytes.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { corpus } from './corpus.js';
import { geminiCli } from './gemini-cli.js';
import { JsonLines } from './json-lines.js';
import { openCode } from './opencode.js';
import { pi } from './pi.js';
import type { ImportedSession, Importer, ReadSession, SessionReader } from './recording.js';
import { isItem, objectWith, readWire, WireLines } from './requests.js';

/** Formats of agents' recordings, the most certain marks first. */
const IMPORTERS: readonly Importer[] = [corpus, claudeCode, codex, geminiCli, copilot, pi, openCode];

/** Every name that `readSession` takes as `format`, in addition to `auto`. */
export const formatNames: readonly string[] = [...formats.keys(), ...IMPORTERS.map(({ name }) => name)];

/** Options for reading a recorded session. */
export interface ReadOptions {
  /** A name from `formatNames`, or `auto` (the default): the format is detected from the file. */
  readonly format?: string;
  /** Longer lines are skipped and listed in the notices, without being held in memory. Default: 256 MiB. */
  readonly maxLineBytes?: number;
}

/** Half of the length limit of a JavaScript string. The longest line in our recorded sessions has 0.2 MB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Reads a recorded session from a path or a browser's `File`. JSON Lines are streamed: in addition to the messages, at
 * most one line is held in memory.
 * Throws `INPUT_UNREADABLE` or `INPUT_FORMAT`; single bad lines are skipped and listed in the notices.
 */
export async function readSession(file: string | FileLike, options: ReadOptions = {}): Promise<ReadSession> {
  const { format = 'auto', maxLineBytes = MAX_LINE_BYTES } = options;
  if (format !== 'auto' && !formatNames.includes(format)) {
    const allowed = ['auto', ...formatNames].join(', ');
    throw wrongFormat('format', format, allowed, 'Name one of these, or leave it out.');
  }
  const chunks = chunksOf(file);
  try {
    const first = await firstChunk(chunks);
    const source = { path: nameOf(file), format, maxLineBytes, head: first.toString('utf8', 0, HEAD_BYTES) };
    return isWhole(source.head)
      ? await readWhole(source, first, chunks)
      : await readLines(source, first, chunks);
  } finally {
    await chunks.return(undefined);
  }
}

/** A file that is one JSON value. */
export interface JsonFile {
  readonly value: unknown;
  /** True if some of its bytes are not UTF-8. */
  readonly isDamaged: boolean;
}

/** Reads a file that is one JSON value, such as a request. Throws `INPUT_UNREADABLE` or `INPUT_FORMAT`. */
export const readJson = async (path: string): Promise<unknown> => (await readJsonFile(path)).value;

/** Reads a file that is one JSON value, and says whether all of its bytes were UTF-8. */
export async function readJsonFile(path: string): Promise<JsonFile> {
  const chunks = chunksOf(path);
  try {
    return await jsonValueOf(path, await firstChunk(chunks), chunks);
  } finally {
    await chunks.return(undefined);
  }
}

interface Source {
  readonly path: string;
  /** A name from `formatNames`, or `auto`. */
  readonly format: string;
  readonly maxLineBytes: number;
  /** The first bytes, as text. */
  readonly head: string;
}

async function firstChunk(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const first = await chunks.next();
  return first.done ? Buffer.alloc(0) : first.value;
}

/** Whether the file is one JSON value: a list, or an object printed over several lines. */
function isWhole(head: string): boolean {
  const start = head.trimStart();
  if (start.startsWith('[')) return true;
  const [first = '', second] = start.split(/\r?\n/, 2).map((line) => line.trim());
  if (!first.startsWith('{') || second === undefined || first.endsWith('}')) return false;
  // A torn first line of JSON Lines may break off anywhere, and the next line starts with an object.
  return /[{[,:]$/.test(first) || !second.startsWith('{');
}

/** Reads one JSON value: a recording, a request body, or a list of messages or of the values that would be lines. */
async function readWhole(source: Source, first: Buffer, rest: AsyncIterable<Buffer>): Promise<ReadSession> {
  const { value, isDamaged } = await jsonValueOf(source.path, first, rest);
  const list = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  // The head that the same values would have with one value per line.
  const head = list
    ? list
        .slice(0, 5)
        .map((item) => writeJson(item)!)
        .join('\n')
    : source.head;
  const importer = importerOf(source.format, head, list === undefined);
  if (importer) {
    const reader = importer.open();
    (list ?? [value]).forEach((item, index) => reader.take(item, index + 1));
    const detected = list ? { ...importer, mark: 'a list of what its lines would be' } : importer;
    return toSession(source, { detected, ...reader.finish() }, isDamaged);
  }
  const wire = readWire(value, formats.get(source.format));
  if (!wire) throw unknownFormat(source.path, isFields(value) ? objectWith(value) : kindOf(value));
  return toSession(source, wire, isDamaged);
}

async function readLines(source: Source, first: Buffer, rest: AsyncIterable<Buffer>): Promise<ReadSession> {
  const { path, format, head } = source;
  const importer = importerOf(format, head);
  const reader: SessionReader =
    importer?.open() ??
    new WireLines({
      expected: formats.get(format),
      hasMessage: hasMessageLine(head),
      unknown: (found) => unknownFormat(path, found),
    });
  const lines = new JsonLines({
    ...source,
    take: (values, line) => {
      for (const value of values) reader.take(value, line);
    },
  });
  lines.push(first);
  for await (const chunk of rest) lines.push(chunk);
  lines.end();
  const { detected = importer!, ...read } = reader.finish();
  return toSession(source, { detected, ...read }, lines.isDamaged, lines.notices);
}

const importerOf = (format: string, head: string, isObject = false): Importer | undefined =>
  IMPORTERS.find((one) =>
    format === 'auto' ? (one.isWhole || !isObject) && one.recognises(head) : one.name === format,
  );

const unknownFormat = (path: string, found: string): Error =>
  wrongFormat(
    path,
    found,
    formatNames.join(', '),
    'Convert it to one of these; if it is one of these, name the format.',
  );

function toSession(
  { format }: Source,
  { detected, parsed: { notices: own, ...parsed }, ...about }: ImportedSession,
  isDamaged: boolean,
  notices: readonly Notice[] = [],
): ReadSession {
  const { name, mark } = detected!;
  const damage = 'some of its bytes are no UTF-8 text; each reads as the mark \ufffd';
  return {
    format: name,
    how: format === 'auto' ? `${name}: ${mark}` : `${name}, as it was named`,
    parsed: {
      ...parsed,
      notices: [...(isDamaged ? [{ at: 'file', kind: 'not-utf8', what: damage }] : []), ...notices, ...own],
    },
    ...about,
  };
}

/** Recognises a first line that is too long to be seen whole. */
const FIRST_KEY = /^\s*\{\s*"(role|messages)"\s*:/;

/** Whether one of the first lines is a message. Lines before the message may be torn or of another kind. */
const hasMessageLine = (head: string): boolean =>
  FIRST_KEY.test(head) || head.split('\n').some((line) => isItem(jsonIn(line)));

/** The JSON value of a file, with its numbers as written. Throws `INPUT_FORMAT` if the file is no single JSON value. */
async function jsonValueOf(path: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<JsonFile> {
  const pieces = [first];
  let bytes = first.length;
  for await (const chunk of rest) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes > constants.MAX_STRING_LENGTH)
      throw wrongFormat(
        path,
        'one JSON value too long for a string',
        `at most ${constants.MAX_STRING_LENGTH} bytes`,
        'Write it as JSON Lines, one message a line; those are streamed.',
      );
  }
  const { text, isDamaged } = decode(pieces);
  const value = parseWhole(path, text);
  const why = whyNotCopyable(value);
  if (why !== undefined) throw wrongFormat(path, why, TEXT, 'Record it again with less nesting.');
  return { value, isDamaged };
}

function parseWhole(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const allowed = 'one whole JSON value, or JSON Lines';
    const remedy = 'The file may be cut off; record it again.';
    throw wrongFormat(path, (cause as Error).message, allowed, remedy);
  }
}
