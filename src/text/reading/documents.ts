import { fromFirstLine } from './slices.js';
import type { Speaker } from './speaker-table.js';

/** A piece of a message by one speaker. */
export interface Speech {
  readonly speaker: Speaker;
  /** Verbatim, without the tags around it and without blank lines at its ends. */
  readonly text: string;
  /** Name of the shape: a skill's or command's name, a tag, `fence`. */
  readonly label?: string;
}

/** A speech without blank lines at its ends; undefined if the text is empty. */
export function speechOf(speaker: Speaker, text: string, label?: string): Speech | undefined {
  const trimmed = fromFirstLine(text);
  return trimmed === '' ? undefined : { speaker, text: trimmed, ...(label !== undefined && { label }) };
}

/** A line of a text, by its positions; `to` is after its last character, without the line break. */
export interface Line {
  readonly from: number;
  readonly to: number;
}

/** The lines of a range of a text. */
export function linesOf(text: string, from: number, end: number): Line[] {
  const lines: Line[] = [];
  for (let at = from; at <= end;) {
    const newline = text.indexOf('\n', at);
    const to = newline < 0 || newline > end ? end : newline;
    lines.push({ from: at, to });
    at = to + 1;
  }
  return lines;
}

const FENCE = /^[ \t]{0,8}(`{3,8}|~{3,8})(.*)$/;
/** Most characters of a line that may be a fence. */
const FENCE_CHARS = 120;

/** The closing line of each code fence by its opening line (indexes). A fence that is never closed is left out. */
export function fencesOf(text: string, lines: readonly Line[]): ReadonlyMap<number, number> {
  const fences = new Map<number, number>();
  let open: { readonly index: number; readonly mark: string } | undefined;
  const closings = new Map<string, number>();
  const marks = lines.flatMap(({ from, to }, index) => {
    const found = to - from > FENCE_CHARS ? null : FENCE.exec(text.slice(from, to));
    return found ? [{ index, mark: found[1]!, isBare: found[2]!.trim() === '' }] : [];
  });
  for (const { index, mark, isBare } of marks) if (isBare) closings.set(mark, index);
  for (const { index, mark, isBare } of marks) {
    if (open?.mark === mark && isBare) {
      fences.set(open.index, index);
      open = undefined;
    } else if (!open && (closings.get(mark) ?? -1) > index) open = { index, mark };
  }
  return fences;
}

/** Texts up to this length are always the user's, in characters. All pasted blocks in recorded messages are longer. */
const SHORT_CHARS = 240;
/** A closed fence with at most so many lines and characters is an example in the user's own text. */
const SHORT_FENCE_LINES = 4;
const SHORT_FENCE_CHARS = 240;

/** A user's text, and the documents pasted into it between fences. In doubt, text is the user's. */
export function documentsIn(text: string): Speech[] {
  const lines = text.length <= SHORT_CHARS ? [] : linesOf(text, 0, text.length);
  const speeches: (Speech | undefined)[] = [];
  let next = 0;
  for (const [first, last] of fencesOf(text, lines)) {
    const [from, to] = [lines[first]!.from, lines[last]!.to];
    if (last - first - 1 <= SHORT_FENCE_LINES && to - from <= SHORT_FENCE_CHARS) continue;
    speeches.push(
      speechOf('user', text.slice(next, from)),
      speechOf('document', text.slice(from, to), 'fence'),
    );
    next = to;
  }
  speeches.push(speechOf('user', text.slice(next)));
  return speeches.filter((speech) => speech !== undefined);
}
