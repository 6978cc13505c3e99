import type { Count } from '../../text/digest/index.js';
import { grouped } from '../../tokens/index.js';

/* Cuts texts into passages, and finds what belongs together in them by blank lines, indentation and brackets. */

/** 150 to 200 tokens. Of 250, 400 and 700, this found most facts in answers of 2,000 tokens (docs/decisions/0030). */
const MAX_CHARS = 700;
/** Only the head and the tail of a longer part are searched, because such a part is a dump. */
const HEAD_CHARS = 1_000_000;
const TAIL_CHARS = 200_000;
/** Most characters that a passage may grow by at either end. */
const MAX_GROWN = 600;
/** Tools that read files put numbers before lines, and these numbers change. */
export const LINE_NUMBER = /^\s*\d+\s*[:|→\t]/;
const CLOSES = /^\s*(?:[\]})]|end\b|<\/)/;

/** Begin and end of each passage of a text: at paragraphs, otherwise at lines, sentences or spaces. */
export function* cutsOf(text: string, from: number, to: number): Generator<readonly [number, number]> {
  for (let at = from; at < to;) {
    if (at - from > HEAD_CHARS && at < to - TAIL_CHARS) at = to - TAIL_CHARS;
    const end = borderAfter(text, at, to, MAX_CHARS);
    if (text.slice(at, end).trim() !== '') yield [at, end];
    at = end;
  }
}

/**
 * Extends a passage to its surrounding block, between `least` and `most`: up to the line that opens the block (a
 * function's name, the head of a table, the beginning of a paragraph or list), and down to its end. If a border is
 * further away than `MAX_GROWN`, the passage is only extended to whole lines.
 */
export function enclosing(
  text: string,
  passage: readonly [number, number],
  [least, most]: readonly [number, number],
): readonly [number, number] {
  const above = linesIn(text, Math.max(least, passage[0] - MAX_GROWN), passage[0]);
  const below = linesIn(text, passage[1], Math.min(most, passage[1] + MAX_GROWN));
  const own = linesIn(text, ...passage);
  // The first line above and the last line below may be torn.
  if (above[0] && above[0].from > least && text[above[0].from - 1] !== '\n') above.shift();
  if (below.at(-1) && below.at(-1)!.to < most && text[below.at(-1)!.to - 1] !== '\n') below.pop();
  const isTorn = passage[0] > least && text[passage[0] - 1] !== '\n';
  const [first] = isTorn && above.length > 0 ? above.splice(-1) : own.slice(0, 1);
  const isOpen = passage[1] < most && text[passage[1] - 1] !== '\n';
  const [last] = isOpen && below.length > 0 ? below.splice(0, 1) : own.slice(-1);
  if (!first || !last) return passage;
  const depths = own.filter(({ isBlank }) => !isBlank).map(({ indent }) => indent);
  const depth = Math.min(...depths);
  const opener = above.findLast(({ isBlank, indent }) =>
    depth === 0 ? isBlank : !isBlank && indent < depth,
  );
  const start = opener && (depth === 0 ? opener.to : opener.from);
  const margin = depth === 0 ? 0 : (opener?.indent ?? 0);
  const closer = below.find(({ isBlank, indent }) => (depth === 0 ? isBlank : !isBlank && indent <= margin));
  const end = closer && (CLOSES.test(closer.text) ? closer.to : closer.from);
  const reachesTop = above.length === 0 || above[0]!.from === least;
  const reachesEnd = below.length === 0 || below.at(-1)!.to === most;
  return [
    Math.min(start ?? (reachesTop && depth === 0 ? least : first.from), passage[0]),
    Math.max(end ?? (reachesEnd ? most : last.to), passage[1]),
  ];
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly isBlank: boolean;
  /** Columns before the first visible character, without line numbers of tools. */
  readonly indent: number;
}

/** The lines of a range, each with its line break; the first and the last may be torn. */
function linesIn(text: string, from: number, to: number): Line[] {
  const lines: Line[] = [];
  for (let at = from; at < to;) {
    const border = text.indexOf('\n', at);
    const end = border < 0 || border >= to ? to : border + 1;
    const line = text.slice(at, end);
    const indent = /^\s*/.exec(line.replace(LINE_NUMBER, ''))![0].replaceAll('\t', '    ').length;
    lines.push({ from: at, to: end, text: line, isBlank: line.trim() === '', indent });
    at = end;
  }
  return lines;
}

/** A border is used if at least this share of the room comes before it. */
const MIN_SHARE = 0.4;

/** The position at which to cut a text from `at` to `to`. */
export function borderAfter(text: string, at: number, to: number, room: number): number {
  if (to - at <= room) return to;
  const window = text.slice(at, at + room);
  const least = room * MIN_SHARE;
  for (const border of [paragraphEnd, lineEnd, sentenceEnd, wordEnd]) {
    const end = border(window);
    if (end >= least) return at + end;
  }
  const splitsPair = (text.charCodeAt(at + room) & 0xfc00) === 0xdc00;
  return at + Math.max(1, splitsPair ? room - 1 : room);
}

const paragraphEnd = (window: string): number => ending(window, window.lastIndexOf('\n\n'), 2);
const lineEnd = (window: string): number => ending(window, window.lastIndexOf('\n'), 1);
const wordEnd = (window: string): number => ending(window, window.lastIndexOf(' '), 1);

function sentenceEnd(window: string): number {
  const marks = ['. ', '! ', '? ', '。', '！', '？'];
  return Math.max(...marks.map((mark) => ending(window, window.lastIndexOf(mark), mark.length)));
}

function ending(window: string, at: number, length: number): number {
  return at < 0 ? -1 : Math.min(window.length, at + length);
}

export interface PageRequest {
  /** Character positions in the text, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly maxTokens: number;
  readonly count: Count;
  /** The handle of the text that begins at a character. */
  readonly handleAt: (at: number) => string;
  /** Whether the end is shown too: if a text is read from its beginning, its end often says most. */
  readonly withEnd: boolean;
}

export interface Page {
  readonly text: string;
  /** The handle for reading on; absent if nothing is left. */
  readonly next?: string;
}

const END_SHARE = 0.3;
/** Fewest tokens of a page that also shows the end. */
const MIN_WITH_END = 120;
/** Most characters per token. A text longer than its limit at this ratio is not counted. */
const MAX_CHARS_A_TOKEN = 12;
const ROUNDS = 12;

/** As much of a text as fits, up to a border, and a line that says what is left out and how to read on. */
export function pageOf(text: string, request: PageRequest): Page {
  const { from, to, maxTokens, count } = request;
  if (sizeUpTo(text.slice(from, to), maxTokens, count) <= maxTokens) return { text: text.slice(from, to) };
  let chars = Math.min(to - from - 1, maxTokens * 4);
  for (let round = 0; round < ROUNDS && chars >= 1; round++) {
    const page = cutAt(text, request, Math.floor(chars));
    const tokens = count(page.text);
    if (tokens <= maxTokens) return page;
    chars *= Math.min(0.9, (0.97 * maxTokens) / tokens);
  }
  const next = request.handleAt(from);
  return { text: `[… recall ${next} …]`, next };
}

/** Tokens of a text; `Infinity` if it is certainly larger than `maxTokens`. */
export function sizeUpTo(text: string, maxTokens: number, count: Count): number {
  return text.length > maxTokens * MAX_CHARS_A_TOKEN ? Number.POSITIVE_INFINITY : count(text);
}

function cutAt(text: string, { from, to, maxTokens, handleAt, withEnd }: PageRequest, chars: number): Page {
  const endChars = withEnd && maxTokens >= MIN_WITH_END ? Math.floor(chars * END_SHARE) : 0;
  const headEnd = borderAfter(text, from, to, Math.max(1, chars - endChars));
  const endFrom = endChars > 0 ? Math.max(headEnd, startBefore(text, to - endChars, to)) : to;
  const next = handleAt(headEnd);
  const head = text.slice(from, headEnd).trimEnd();
  const line = `[… ${grouped(endFrom - headEnd)} characters; recall ${next} …]`;
  const end = endFrom < to ? `\n${text.slice(endFrom, to).trimStart()}` : '';
  return { text: `${head}\n${line}${end}`, next };
}

/** Start of the first line that begins after a position; the position itself if there is no such line. */
function startBefore(text: string, at: number, to: number): number {
  const border = text.indexOf('\n', at);
  if (border >= 0 && border + 1 < to) return border + 1;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}

/** Fewest tokens that a longer text is cut to: less would tell nothing. */
export const MIN_TOKENS = 40;

/**
 * Divides room among texts: short texts get what they need, and long texts share the rest. If not all can have
 * `MIN_TOKENS`, only the first ones get a share; the result may then be shorter than `sizes`.
 */
export function sharesOf(sizes: readonly number[], room: number): number[] {
  let least = 0;
  let count = 0;
  for (const size of sizes) {
    least += Math.min(size, MIN_TOKENS);
    if (least > room && count > 0) break;
    count++;
  }
  const shares = Array.from<number>({ length: count });
  let left = room;
  const byLength = shares.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  byLength.forEach((index, i) => {
    shares[index] = Math.min(sizes[index]!, Math.floor(left / (count - i)));
    left -= shares[index];
  });
  return shares;
}
