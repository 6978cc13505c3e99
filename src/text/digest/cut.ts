import { grouped } from '../../tokens/index.js';
import type { Handle } from '../../transcript/index.js';
import { headOf, tailOf } from '../reading/index.js';
import { fitText } from './fit.js';

/** Counts the tokens of a text. */
export type Count = (text: string) => number;

/** Share of the kept text before the cut: the head tells what a text is, the tail how it ended. */
const HEAD_SHARE = 0.6;

/** Largest shrinkage of a piece to end at a line border, as a share of the piece. */
const BORDER_SLACK = 0.3;

/** With fewer tokens for the head, the line is made shorter instead. */
const MIN_HEAD = 6;

/** With fewer tokens, a tail has no content: all the room goes to the head. */
const MIN_TAIL = 24;

const CUT = /^\[… (?:about [\d,]+ of [\d,]+ tokens )?cut; .{1,200} …\]$/m;

/** Whether a text was cut to size with a visible line: unlike a stub, it has its head and tail. */
export function isCut(text: string): boolean {
  return CUT.test(text);
}

/** The limit of a cut, and the handle for recall. */
export interface CutRequest {
  readonly maxTokens: number;
  readonly count: Count;
  /** The handle of the cut text as texts write it: `view.mark(handle)`. */
  readonly handle: Handle;
  /** Size of the whole text, if known: it is then not counted again. */
  readonly knownTokens?: number;
}

/**
 * Head, a visible line with the size of the cut and the handle, tail; at most `maxTokens` by `count`. The whole text is
 * counted at most once, and not at all if its size is known; after that only the kept text.
 */
export function cutText(text: string, request: CutRequest): string {
  const { maxTokens, count, handle, knownTokens: tokens = count(text) } = request;
  if (tokens <= maxTokens) return text;
  const charsPerToken = text.length / Math.max(1, tokens);
  // A small allowance still gets a head: the text must be recognisable.
  for (const style of [fullLine, shortLine, noLine]) {
    const room = maxTokens - count(style(tokens, tokens, handle));
    if (room < MIN_HEAD && style !== noLine) continue;
    const build = (chars: number): string => assemble(text, chars, { tokens, handle, style, room });
    const fitted = fitText(build, maxTokens, count, charsPerToken)?.text;
    if (fitted !== undefined && (style === noLine || isHeadOf(text, fitted))) return fitted;
  }
  return '';
}

/** Whether the piece begins with enough of the original to be recognised as its head, by the guard too. */
function isHeadOf(text: string, piece: string): boolean {
  return text.startsWith(piece.slice(0, Math.min(16, Math.floor(piece.length / 4))));
}

type Style = (removed: number, total: number, handle: Handle) => string;

const fullLine: Style = (removed, total, handle) =>
  `[… about ${grouped(removed)} of ${grouped(total)} tokens cut; ${handle} …]`;
const shortLine: Style = (_removed, _total, handle) => `[… cut; ${handle} …]`;
const noLine: Style = () => '…';

interface Frame {
  readonly tokens: number;
  readonly handle: Handle;
  readonly style: Style;
  readonly room: number;
}

function assemble(text: string, chars: number, { tokens, handle, style, room }: Frame): string {
  const kept = Math.max(1, chars - style(tokens, tokens, handle).length);
  const tailChars = room < MIN_TAIL || style === noLine ? 0 : Math.floor(kept * (1 - HEAD_SHARE));
  const head = toLineEnd(headOf(text, Math.min(kept - tailChars, text.length - 1)));
  const tail = toLineStart(tailOf(text, Math.min(tailChars, text.length - head.length)));
  const removed = tokens * (1 - (head.length + tail.length) / text.length);
  const line = style(removed, tokens, handle);
  if (style === noLine) return `${head}${line}`;
  return `${head}${head.endsWith('\n') ? '' : '\n'}${line}${tail === '' ? '' : `\n${tail}`}`;
}

function toLineEnd(head: string): string {
  const border = head.lastIndexOf('\n');
  return border >= head.length * (1 - BORDER_SLACK) ? head.slice(0, border + 1) : head;
}

function toLineStart(tail: string): string {
  const border = tail.indexOf('\n');
  return border >= 0 && border < tail.length * BORDER_SLACK ? tail.slice(border + 1) : tail;
}
