import { fencesOf, linesOf, type Line } from './fences.js';
import { kindOfLine } from './machine-lines.js';
import { speechOf } from './pieces.js';
import { reviewIn, type Stretch } from './reviews.js';
import type { Speech } from './speech.js';

/** Texts up to here are the user's, whatever they look like, in characters. Tuned on recorded messages: the shortest pasted block there is longer. */
const SHORT = 240;
/** A closed fence with at most so many lines and characters is an example in the user's own sentence. */
const FENCE_LINES = 4;
const FENCE_CHARS = 240;
/** Quoted lines in a row that are a pasted text and no quotation. */
const QUOTE_LINES = 4;
/** Lines of a program in a row that are pasted output: so many, and so long together. */
const MACHINE_LINES = 3;
const MACHINE_CHARS = 160;
/** Between two of them at most so many lines that could be anything. */
const MACHINE_GAP = 2;

/** A stretch of lines, both ends included. */
interface Block {
  readonly first: number;
  readonly last: number;
  readonly label: string;
}

/** What a user wrote, and the documents pasted into it, by structure alone. Where that is in doubt it is the user's. */
export function documentsIn(text: string): Speech[] {
  if (text.length <= SHORT) return said([speechOf('user', text)]);
  const lines = linesOf(text, 0, text.length);
  const blocks = blocksOf(text, lines);
  const review = reviewIn(blanked(text, blocks));
  const documents = review
    ? [...blocks.filter(({ from, to }) => to <= review.from || from >= review.to), review]
    : blocks;
  const speeches: (Speech | undefined)[] = [];
  let next = 0;
  for (const { from, to, label } of documents.sort((a, b) => a.from - b.from)) {
    speeches.push(
      speechOf('user', text.slice(next, from)),
      speechOf('document', text.slice(from, to), label),
    );
    next = to;
  }
  speeches.push(speechOf('user', text.slice(next)));
  return said(speeches);
}

/** The text with blanks for its blocks: what a log cites tells no review. */
function blanked(text: string, blocks: readonly Stretch[]): string {
  let blank = '';
  let next = 0;
  for (const { from, to } of blocks) {
    blank += text.slice(next, from) + ' '.repeat(to - from);
    next = to;
  }
  return blank + text.slice(next);
}

function blocksOf(text: string, lines: readonly Line[]): Stretch[] {
  const texts = lines.map(({ from, to }) => text.slice(from, to));
  const fences = fencesOf(text, lines);
  const blocks: Stretch[] = [];
  for (let at = 0; at < texts.length;) {
    const block =
      fenceAt(fences, lines, at) ?? mailAt(texts, at) ?? quoteAt(texts, at) ?? machineAt(texts, fences, at);
    if (block?.label)
      blocks.push({ from: lines[block.first]!.from, to: lines[block.last]!.to, label: block.label });
    at = (block?.last ?? at) + 1;
  }
  return blocks;
}

/** A closed fence; a short one bears no label: it is passed over whole. */
function fenceAt(
  fences: ReadonlyMap<number, number>,
  lines: readonly Line[],
  first: number,
): Block | undefined {
  const last = fences.get(first);
  if (last === undefined) return undefined;
  const isShort = last - first - 1 <= FENCE_LINES && lines[last]!.to - lines[first]!.from <= FENCE_CHARS;
  return { first, last, label: isShort ? '' : 'fence' };
}

const MAIL_HEAD = /^(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Message-ID): ?\S/i;
/** Of a mail's head, lines in a row that tell it. */
const MAIL_LINES = 3;

/** A mail: three lines of its head in a row, to the end of the text, for its body has no mark. */
function mailAt(texts: readonly string[], first: number): Block | undefined {
  for (let at = first; at < first + MAIL_LINES; at += 1)
    if (!MAIL_HEAD.test(texts[at] ?? '')) return undefined;
  return { first, last: texts.length - 1, label: 'mail' };
}

function quoteAt(texts: readonly string[], first: number): Block | undefined {
  let last = first;
  while (texts[last]?.startsWith('>')) last += 1;
  return last - first < QUOTE_LINES ? undefined : { first, last: last - 1, label: 'quote' };
}

/** Output pasted from a terminal, a log, a diff or a stack trace. */
function machineAt(
  texts: readonly string[],
  fences: ReadonlyMap<number, number>,
  first: number,
): Block | undefined {
  if (kindOfLine(texts[first]!) !== 'strong') return undefined;
  let last = first;
  let strong = 1;
  let gap = 0;
  for (let at = first + 1; at < texts.length && gap <= MACHINE_GAP && !fences.has(at); at += 1) {
    const kind = kindOfLine(texts[at]!);
    if (kind === 'plain') gap += 1;
    if (kind !== 'strong') continue;
    strong += 1;
    gap = 0;
    last = at;
  }
  last = withSoftEnd(texts, last);
  const chars = texts.slice(first, last + 1).reduce((sum, line) => sum + line.length, 0);
  const isPasted = strong >= MACHINE_LINES && chars >= MACHINE_CHARS;
  return { first, last, label: isPasted ? 'output' : '' };
}

/** An error's own line stands below its stack in some languages, directly. */
function withSoftEnd(texts: readonly string[], last: number): number {
  let end = last;
  while (end + 1 < texts.length && texts[end + 1]!.trim() !== '' && kindOfLine(texts[end + 1]!) === 'soft')
    end += 1;
  return end;
}

function said(speeches: readonly (Speech | undefined)[]): Speech[] {
  return speeches.filter((speech) => speech !== undefined);
}
