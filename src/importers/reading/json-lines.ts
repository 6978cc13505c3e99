import type { Notice } from '../../spi/index.js';
import { whyNotCopyable } from '../../transcript/index.js';
import type { SessionReader, ReadSession } from '../importer.js';
import { lineImporters, wholeImporters } from '../registry.js';
import { AnyLines, hasMessageLine } from './any-lines.js';
import { TEXT, wrongFormat } from './faults.js';
import { ForeignLines } from './foreign.js';
import { LineCutter, type LineSink } from './lines.js';
import { valuesOn } from './values.js';

/** So many bad lines and no good one: this is no JSON, however long it goes on. */
const HOPELESS = 100;

/** So many bad lines are named one by one; the rest are counted. */
const NAMED = 50;

interface LineFile {
  readonly path: string;
  /** A name from `formatNames`, or `auto`. */
  readonly format: string;
  /** The first bytes, as text. */
  readonly head: string;
  readonly maxLineBytes: number;
}

export async function readLines(
  file: LineFile,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<ReadSession> {
  const { path, format, head } = file;
  const importer = lineImporters.find((one) =>
    format === 'auto' ? one.recognises(head) : one.name === format,
  );
  const expected = wholeImporters.find(({ name }) => name === format);
  const reader = importer?.open() ?? new AnyLines(path, hasMessageLine(head), expected);
  const lines = new JsonLines(path, reader, new ForeignLines(importer, lineImporters));
  const cutter = new LineCutter(file.maxLineBytes, lines);
  cutter.push(first);
  for await (const chunk of rest) cutter.push(chunk);
  cutter.end();
  lines.check();
  const { parsed, taken = importer!, ...about } = reader.finish();
  const notices = [...lines.notices(taken.name), ...parsed.notices];
  const how = format === 'auto' ? `${taken.name}: ${taken.mark}` : `${format}, as it was named`;
  return { format: taken.name, how, parsed: { ...parsed, notices }, ...about };
}

class JsonLines implements LineSink {
  readonly #path: string;
  readonly #reader: SessionReader;
  readonly #foreign: ForeignLines;
  readonly #notices: Notice[] = [];
  #values = 0;
  #bad = 0;
  #firstBad = '';

  constructor(path: string, reader: SessionReader, foreign: ForeignLines) {
    this.#path = path;
    this.#reader = reader;
    this.#foreign = foreign;
  }

  onLine(text: string, number: number, complete: boolean): void {
    if (text.trim() === '') return;
    const { values, rest } = valuesOn(text);
    for (const value of values) this.#take(value, number);
    this.#foreign.see(text, number);
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

  #take(value: unknown, number: number): void {
    const why = whyNotCopyable(value);
    if (why !== undefined) {
      this.#firstBad ||= why;
      this.#note(number, 'too-deep', `${why}; skipped`);
      return;
    }
    this.#values++;
    this.#reader.take(value, number);
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

  notices(taken: string): Notice[] {
    const foreign = this.#foreign.notices(taken);
    const more = this.#notices.length - NAMED;
    if (more <= 0) return [...foreign, ...this.#notices];
    const counted: Notice = {
      at: 'file',
      kind: 'more-lines',
      what: `${more} more lines were skipped or mended`,
    };
    return [...foreign, ...this.#notices.slice(0, NAMED), counted];
  }

  #note(line: number, kind: string, what: string): void {
    this.#notices.push({ at: `line ${line}`, kind, what });
  }
}
