import { constants } from 'node:buffer';
import { parseJson, whyNotCopyable, writeJson } from '../../transcript/index.js';
import type { ImportedSession, LineImporter, Taken, ReadSession } from '../importer.js';
import { isFields, kindOf } from '../../wire/index.js';
import { formatNames, lineImporters, wholeImporters } from '../registry.js';
import { TEXT, unreadable, wrongFormat } from './faults.js';
import { TextPieces } from './text.js';

/** A file that is one JSON value: a recording, a request body, a list of messages, or of what would be lines. */
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

/** The one JSON value that a file is, its numbers as they are written. Throws `INPUT_FORMAT` where it is none. */
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
