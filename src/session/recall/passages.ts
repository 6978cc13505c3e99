import type { LogMessage, Part } from '../../transcript/index.js';
import type { MessageWords } from './words-of.js';

/** A piece of a message's words. */
export interface Passage {
  readonly message: LogMessage;
  /** Index of its part. */
  readonly part: number;
  /** Characters of the message's text, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** About 150 to 200 tokens. Of 250, 400 and 700 this found most facts in an answer of 2,000 tokens (docs/decisions/0030). */
const MAX_CHARS = 700;
/** A border is taken where at least this share of the room stands before it. */
const MIN_SHARE = 0.4;

/** Cuts what a message says at paragraphs, else at lines, sentences, spaces; parts of recall itself are left out. */
export function passagesOf(
  message: LogMessage,
  { text, parts }: MessageWords,
  isOwn: (part: Part) => boolean,
): Passage[] {
  const passages: Passage[] = [];
  for (const { index, part, from, to } of parts) {
    if (isOwn(part)) continue;
    for (let at = from; at < to;) {
      const end = borderAfter(text, at, to);
      const piece = text.slice(at, end);
      if (piece.trim() !== '') passages.push({ message, part: index, from: at, to: end, text: piece });
      at = end;
    }
  }
  return passages;
}

/** Where to cut a text that goes from `at` to `to`. */
export function borderAfter(text: string, at: number, to: number, room = MAX_CHARS): number {
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
