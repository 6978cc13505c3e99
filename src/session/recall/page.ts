import { grouped, type Count } from '../../digest/index.js';
import { borderAfter } from './passages.js';

export interface PageRequest {
  /** Characters of the text, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly maxTokens: number;
  readonly count: Count;
  /** Names what begins at a character of the text. */
  readonly handleAt: (at: number) => string;
  /** Whether the end is shown too: of what is read from its beginning, how it ended often says most. */
  readonly withEnd: boolean;
}

export interface Page {
  readonly text: string;
  /** By which handle to read on; absent where all of it is there. */
  readonly next?: string;
}

const END_SHARE = 0.3;
/** Below this many tokens an end says nothing. */
const MIN_WITH_END = 120;
/** Characters a token, at most: of a longer text no more is counted. */
const MAX_CHARS_A_TOKEN = 12;
const ROUNDS = 12;

/** As much of a text as fits, ending at a border, and a line that says what is left out and how to read on. */
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

/** Tokens of a text; of one that is certainly larger, only that it is. */
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

/** The first line that begins at or after a place; the place itself where no line does. */
function startBefore(text: string, at: number, to: number): number {
  const border = text.indexOf('\n', at);
  if (border >= 0 && border + 1 < to) return border + 1;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;
}
