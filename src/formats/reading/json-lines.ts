import type { Notice } from '../../spi/index.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import type { ReadSession } from '../read.js';
import { isFields, kindOf } from '../record.js';
import { formatNames } from '../registry.js';
import { TEXT, wrongFormat } from './faults.js';
import { LineCutter, type LineSink } from './lines.js';
import { valuesOn } from './values.js';

/** So many bad lines and no good one: this is no JSON, however long it goes on. */
const HOPELESS = 100;

/** So many bad lines are named one by one; the rest are counted. */
const NAMED = 50;

export async function readLines(
  path: string,
  importer: LineImporter | undefined,
  how: string,
  maxLineBytes: number,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<ReadSession> {
  const lines = new JsonLines(path, importer?.open() ?? new UnknownReader(path));
  const cutter = new LineCutter(maxLineBytes, lines);
  cutter.push(first);
  for await (const chunk of rest) cutter.push(chunk);
  cutter.end();
  lines.check();
  const { parsed, ...about } = lines.reader.finish();
  const notices = [...lines.notices(), ...parsed.notices];
  return { format: importer?.name ?? '', how, parsed: { ...parsed, notices }, ...about };
}

/** Stands in where no importer knows the file: refuses at the first value instead of reading on. */
class UnknownReader implements SessionReader {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  take(value: unknown): void {
    const found = isFields(value)
      ? `objects with ${Object.keys(value).slice(0, 5).join(', ')}`
      : kindOf(value);
    const remedy = 'Convert it to one of these; if it is one of these, name the format.';
    throw wrongFormat(this.#path, found, formatNames.join(', '), remedy);
  }

  finish(): ImportedSession {
    return { parsed: { messages: [], notices: [] } };
  }
}

class JsonLines implements LineSink {
  readonly reader: SessionReader;
  readonly #path: string;
  readonly #notices: Notice[] = [];
  #values = 0;
  #bad = 0;
  #firstBad = '';

  constructor(path: string, reader: SessionReader) {
    this.#path = path;
    this.reader = reader;
  }

  onLine(text: string, number: number, complete: boolean): void {
    if (text.trim() === '') return;
    const { values, rest } = valuesOn(text);
    for (const value of values) this.reader.take(value, number);
    this.#values += values.length;
    if (values.length > 1) {
      this.#note(number, 'joined-lines', `${values.length} JSON values stand on this line; all were read`);
    }
    if (rest === '') return;
    this.#firstBad ||= rest.slice(0, 60);
    if (complete) this.#note(number, 'unreadable-line', 'this is no JSON; skipped');
    else this.#note(number, 'torn-line', 'the last line is cut off; skipped');
    if (++this.#bad >= HOPELESS) this.check();
  }

  onTooLong(number: number, bytes: number): void {
    this.#firstBad ||= `a line of ${bytes} bytes`;
    this.#note(number, 'long-line', `${bytes} bytes are above the limit for a line; skipped`);
  }

  /** Throws where nothing at all was JSON. */
  check(): void {
    if (this.#values > 0) return;
    throw wrongFormat(
      this.#path,
      this.#firstBad,
      TEXT,
      'Pass a recorded session; if a line is too long, raise maxLineBytes.',
    );
  }

  notices(): Notice[] {
    const more = this.#notices.length - NAMED;
    if (more <= 0) return this.#notices;
    const counted: Notice = {
      at: 'file',
      kind: 'more-lines',
      what: `${more} more lines were skipped or mended`,
    };
    return [...this.#notices.slice(0, NAMED), counted];
  }

  #note(line: number, kind: string, what: string): void {
    this.#notices.push({ at: `line ${line}`, kind, what });
  }
}
