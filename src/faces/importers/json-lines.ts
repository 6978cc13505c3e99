import type { Notice } from '../../spi/index.js';
import { endOfString, whyNotCopyable } from '../../transcript/index.js';
import { jsonIn } from '../../formats/index.js';
import { decode, TEXT, wrongFormat } from './bytes.js';

/** After this many bad lines and no good line, the file counts as no JSON, and reading stops. */
const MAX_BAD_LINES = 100;

/** This many bad lines are listed one by one; the others are only counted. */
const MAX_NOTICES = 50;

const NEWLINE = 0x0a;

interface Sink {
  readonly path: string;
  readonly maxLineBytes: number;
  /** Receives the values on a line. */
  readonly take: (values: readonly unknown[], line: number) => void;
}

/** Reads a stream of bytes as JSON Lines. Holds at most one line in memory, and none longer than `maxLineBytes`. */
export class JsonLines {
  isDamaged = false;
  #pieces: Buffer[] = [];
  /** Bytes of the current line, including bytes that were dropped. */
  #bytes = 0;
  #line = 1;
  readonly #notices: Notice[] = [];
  #values = 0;
  #badLines = 0;
  #firstBad = '';
  #hasLong = false;

  constructor(private readonly sink: Sink) {}

  /** @internal A public declaration would require Node's types of users. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#endLine(true);
      this.#line++;
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** Throws `INPUT_FORMAT` if no line was JSON. */
  end(): void {
    this.#endLine(false);
    this.#checkValues();
  }

  get notices(): readonly Notice[] {
    const more = this.#notices.length - MAX_NOTICES;
    if (more <= 0) return this.#notices;
    const what = `${more} more lines were skipped or mended`;
    return [...this.#notices.slice(0, MAX_NOTICES), { at: 'file', kind: 'more-lines', what }];
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.sink.maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** @param isEnded false for a last line without a newline */
  #endLine(isEnded: boolean): void {
    const [bytes, pieces] = [this.#bytes, this.#pieces];
    this.#bytes = 0;
    this.#pieces = [];
    if (bytes > this.sink.maxLineBytes) {
      this.#firstBad ||= `a line of ${bytes} bytes`;
      this.#hasLong = true;
      this.#note('long-line', `${bytes} bytes are above the limit for a line; skipped`);
      return;
    }
    const { text, isDamaged } = decode(pieces);
    this.isDamaged ||= isDamaged;
    if (text.trim() !== '') this.#read(text, isEnded);
  }

  #read(text: string, isEnded: boolean): void {
    const { values, rest } = valuesOn(text);
    this.sink.take(
      values.filter((value) => this.#isCopyable(value)),
      this.#line,
    );
    if (values.length > 1)
      this.#note('joined-lines', `${values.length} JSON values are on this line; all were read`);
    if (rest === '') return;
    this.#firstBad ||= rest.slice(0, 60);
    if (isEnded) this.#note('unreadable-line', 'this is no JSON; skipped');
    else this.#note('torn-line', 'the last line is cut off; skipped');
    if (++this.#badLines >= MAX_BAD_LINES) this.#checkValues();
  }

  #isCopyable(value: unknown): boolean {
    const why = whyNotCopyable(value);
    if (why === undefined) return ++this.#values > 0;
    this.#firstBad ||= why;
    this.#note('too-deep', `${why}; skipped`);
    return false;
  }

  #checkValues(): void {
    if (this.#values > 0) return;
    const remedy = this.#hasLong
      ? 'Write it as shorter lines, one message a line; in code, raise maxLineBytes.'
      : 'Pass a recorded session; this one may be cut off: record it again.';
    throw wrongFormat(this.sink.path, this.#firstBad, TEXT, remedy);
  }

  #note(kind: string, what: string): void {
    this.#notices.push({ at: `line ${this.#line}`, kind, what });
  }
}

/** The JSON values on one line: usually one. After a torn append, a line break is missing and a line has two. */
function valuesOn(line: string): { readonly values: readonly unknown[]; readonly rest: string } {
  const whole = jsonIn(line);
  if (whole !== undefined) return { values: [whole], rest: '' };
  const values: unknown[] = [];
  let from = 0;
  for (let end = endOfValue(line, from); end > from; end = endOfValue(line, from)) {
    const one = jsonIn(line.slice(from, end));
    if (one === undefined) break;
    values.push(one);
    from = end;
  }
  return { values, rest: line.slice(from).trim() };
}

/** The index after the bracket that closes the object or list at `from`; `from` itself if no bracket closes it. */
function endOfValue(text: string, from: number): number {
  const token = /["{}[\]]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const sign = found[0];
    if (sign === '"') token.lastIndex = endOfString(text, found.index);
    else if (sign === '{' || sign === '[') depth++;
    else if (--depth <= 0) return depth === 0 ? token.lastIndex : from;
  }
  return from;
}
