import { isTagRow, ROWS, type PhraseRow, type Row, type TagRow } from './speaker-table.js';

const TAGS: ReadonlyMap<string, TagRow> = new Map(ROWS.filter(isTagRow).map((row) => [row.tag, row]));
const PHRASES: readonly PhraseRow[] = ROWS.filter((row): row is PhraseRow => !isTagRow(row));
const FIRST_PHRASES = PHRASES.filter(({ anywhere }) => !anywhere);
const LINE_PHRASES = PHRASES.filter(({ anywhere }) => anywhere);
/** First characters of phrases inside a text. */
const LINE_STARTS: ReadonlySet<string> = new Set(LINE_PHRASES.map(({ opens }) => opens.charAt(0)));

/** Most characters of an opening line and of an end that are read: enough for paths, and a bound for the patterns. */
const LINE_CHARS = 400;
const TAIL_CHARS = 600;

const OPENING = /<([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,300})?>/y;
/** A quotation mark before a tag or a closing tag: the text only mentions the tag. */
const QUOTE = /[`'"“«]/;
/** The end of a line after a block in its middle. */
const LINE_END = /[ \t\r]*(?:\n|$|<)/y;

/** A block of a host in a text: positions of the whole block and of its content. */
export interface HostBlock<R = Row> {
  readonly row: R;
  readonly from: number;
  readonly to: number;
  readonly inner: { readonly from: number; readonly to: number };
  /** The opening tag, for its name. */
  readonly opening: string;
}

/** Finds blocks of hosts in the texts of one message, which are joined into one string. */
export class BlockFinder {
  readonly #text: string;
  readonly #question: string | undefined;
  /** The last place of each phrase that was found. */
  readonly #found = new Map<string, number>();
  /** By closing tag: its last place in the text that was searched last. */
  readonly #last = new Map<string, { readonly end: number; readonly blockAt: number }>();

  /** `asked`: the end of the message before, if an agent or the system wrote it. */
  constructor(text: string, asked?: string) {
    this.#text = text;
    this.#question = asked;
  }

  /**
   * A block whose first character is at `at`, the first of a line. `before`: the text of the message before this one,
   * if only blocks precede `at` in this text.
   */
  blockAt(at: number, end: number, before: string | undefined): HostBlock | undefined {
    if (before !== undefined) {
      const first = this.#phrase(FIRST_PHRASES, at, end, before);
      if (first) return first;
    }
    if (this.#text[at] === '<') return this.#tag(at, end, before !== undefined);
    return LINE_STARTS.has(this.#text.charAt(at)) ? this.#phrase(LINE_PHRASES, at, end) : undefined;
  }

  /** The first block in the middle of a line, up to `lineEnd`: only its own end may follow on its last line. */
  blockWithin(from: number, lineEnd: number, end: number): HostBlock<TagRow> | undefined {
    let at = this.#next('<', from);
    for (; at < lineEnd; at = this.#next('<', at + 1)) {
      const found = QUOTE.test(this.#text.charAt(at - 1)) ? undefined : this.#tag(at, end, false);
      if (!found) continue;
      LINE_END.lastIndex = found.to;
      if (found.to >= end || LINE_END.test(this.#text)) return found;
    }
    return undefined;
  }

  /**
   * First place of the words from `from` on; infinity if there is none. Each search continues from the last: for rising
   * positions the text is read once per phrase, however often it is asked.
   */
  #next(words: string, from: number): number {
    const known = this.#found.get(words);
    if (known !== undefined && known >= from) return known;
    const found = this.#text.indexOf(words, from);
    const at = found < 0 ? Infinity : found;
    this.#found.set(words, at);
    return at;
  }

  #tag(at: number, end: number, isFirst: boolean): HostBlock<TagRow> | undefined {
    OPENING.lastIndex = at;
    const opening = OPENING.exec(this.#text);
    const row = opening ? TAGS.get(opening[1]!) : undefined;
    if (!opening || !row || (row.first && !isFirst)) return undefined;
    const from = at + opening[0].length;
    const closing = `</${row.tag}>`;
    const to = this.#closingAt(row, closing, from, end);
    if (to === undefined) return undefined;
    return { row, from: at, to: to + closing.length, inner: { from, to }, opening: opening[0] };
  }

  /**
   * Place of the closing tag. The content of a block may imitate the tag, so the last one before the next block of the
   * same name counts; for a sealed block, the last in the text.
   */
  #closingAt(row: TagRow, closing: string, from: number, end: number): number | undefined {
    const first = this.#next(closing, from);
    if (first >= end) return undefined;
    if (row.sealed) return Math.max(first, this.#lastIn(closing, end));
    return Math.max(first, this.#lastBefore(closing, Math.min(end, this.#next(`<${row.tag}`, from)), first));
  }

  /** The last place in the text that ends at `end`. Remembered, because a refused block may be tried again. */
  #lastIn(closing: string, end: number): number {
    const known = this.#last.get(closing);
    if (known?.end === end) return known.blockAt;
    const at = this.#lastBefore(closing, end, 0);
    this.#last.set(closing, { end, blockAt: at });
    return at;
  }

  #lastBefore(closing: string, limit: number, least: number): number {
    let at = limit;
    do at = at > least ? this.#text.lastIndexOf(closing, at - 1) : -1;
    while (at > least && (at + closing.length > limit || QUOTE.test(this.#text.charAt(at - 1))));
    return at;
  }

  #phrase(
    rows: readonly PhraseRow[],
    at: number,
    end: number,
    before = '',
  ): HostBlock<PhraseRow> | undefined {
    for (const row of rows) {
      if (!this.#text.startsWith(row.opens, at) || !this.#fits(row, at, end)) continue;
      if (row.after && !row.after.test(before.slice(0, LINE_CHARS))) continue;
      if (row.answers && this.#question !== undefined && !row.answers.test(this.#question)) continue;
      const to = this.#endOf(row, at, end);
      if (to !== undefined) return { row, from: at, to, inner: { from: at, to }, opening: '' };
    }
    return undefined;
  }

  #fits({ opens, alone, like, needs, ends }: PhraseRow, at: number, end: number): boolean {
    const line = this.#lineAt(at, end);
    if ((alone && line.trimEnd() !== opens) || (like && !like.test(line))) return false;
    if (needs !== undefined && this.#next(needs, at + opens.length) + needs.length > end) return false;
    return !ends || ends.test(this.#text.slice(Math.max(at, end - TAIL_CHARS), end));
  }

  #endOf({ closes, opens, spansParts }: PhraseRow, at: number, end: number): number | undefined {
    if (closes === undefined) return end;
    if (closes === 'line') return Math.min(end, this.#next('\n', at));
    if (closes === 'paragraph') return Math.min(end, this.#next('\n\n', at));
    const to = this.#next(closes.words, at + opens.length) + closes.words.length;
    return to <= (spansParts ? this.#text.length : end) ? to : undefined;
  }

  #lineAt(at: number, end: number): string {
    const line = this.#text.slice(at, Math.min(end, at + LINE_CHARS));
    const newline = line.indexOf('\n');
    return newline < 0 ? line : line.slice(0, newline);
  }
}
