import type { Notice } from '../../spi/index.js';
import { endOfString, parseJson, whyNotCopyable } from '../../transcript/index.js';
import { AnyLines, hasMessageLine } from './any-lines.js';
import { TEXT, TextPieces, wrongFormat } from './bytes.js';
import type { LineImporter, ReadSession, SessionReader } from './recording.js';
import { lineImporters, wholeImporters } from './registry.js';
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

const NEWLINE = 0x0a;

interface LineSink {
  /** @param complete false for a last line that no newline ends */
  onLine(text: string, number: number, complete: boolean): void;
  onTooLong(number: number, bytes: number): void;
}

/** Cuts a stream of bytes into lines, holding no more than one line and never one above `maxLineBytes`. */
class LineCutter {
  readonly #maxLineBytes: number;
  readonly #sink: LineSink;
  readonly #text = new TextPieces();
  /** Bytes of the line so far, also those that were let go. */
  #bytes = 0;
  #number = 1;

  constructor(maxLineBytes: number, sink: LineSink) {
    this.#maxLineBytes = maxLineBytes;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#flush(true);
      this.#number++;
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  end(): void {
    this.#flush(false);
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxLineBytes) this.#text.clear();
    else this.#text.add(piece);
  }

  #flush(complete: boolean): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes > this.#maxLineBytes) this.#sink.onTooLong(this.#number, bytes);
    else if (bytes > 0) this.#sink.onLine(this.#text.take(), this.#number, complete);
  }
}

/** The JSON values on one line. Usually one; two where an append was torn, and then the line break is missing. */
function valuesOn(line: string): { readonly values: readonly unknown[]; readonly rest: string } {
  const whole = parsed(line);
  if (whole) return { values: [whole.value], rest: '' };
  const values: unknown[] = [];
  let from = 0;
  for (let end = endOfValue(line, from); end > from; end = endOfValue(line, from)) {
    const one = parsed(line.slice(from, end));
    if (!one) break;
    values.push(one.value);
    from = end;
  }
  return { values, rest: line.slice(from).trim() };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

/** Just behind the bracket that closes the object or list beginning at `from`; `from` itself where none does. */
function endOfValue(text: string, from: number): number {
  const token = /["{}[\]]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const sign = found[0];
    if (sign === '"') {
      token.lastIndex = endOfString(text, found.index);
    } else if (sign === '{' || sign === '[') {
      depth++;
    } else {
      depth--;
      if (depth <= 0) return depth === 0 ? token.lastIndex : from;
    }
  }
  return from;
}

/** How much of a line is looked at: marks stand at its front. */
const LOOK = 2_000;

/** Lines of another agent's recording in a file: what the importer makes of them is its own, but it is said. */
class ForeignLines {
  readonly #own: LineImporter | undefined;
  readonly #others: readonly LineImporter[];
  readonly #found = new Map<string, { count: number; first: number }>();

  constructor(own: LineImporter | undefined, all: readonly LineImporter[]) {
    this.#own = own;
    this.#others = all.filter((importer) => importer !== own);
  }

  see(text: string, line: number): void {
    const head = text.slice(0, LOOK);
    if (this.#own?.recognises(head)) return;
    const other = this.#others.find((importer) => importer.recognises(head))?.name ?? this.#messageOf(head);
    if (other === undefined) return;
    const seen = this.#found.get(other);
    if (seen) seen.count += 1;
    else this.#found.set(other, { count: 1, first: line });
  }

  #messageOf(head: string): string | undefined {
    return this.#own && !this.#own.ofChat && hasMessageLine(head) ? 'chat messages' : undefined;
  }

  notices(taken: string): Notice[] {
    return [...this.#found].map(([name, { count, first }]): Notice => {
      const what = `${count} lines from line ${first} on look like ${name}; the file is read as ${taken}, and what that has no place for is left out`;
      return { at: 'file', kind: 'mixed-formats', what };
    });
  }
}
