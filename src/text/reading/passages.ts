import { fromFirstLine } from './slices.js';

/** A piece of prose that can be kept or left out alone: a paragraph, a few items of a list, a block of code. */
export interface Passage {
  readonly text: string;
  /** Index in its message. */
  readonly at: number;
}

/** A passage of this many characters ends at the next border, because text is chosen by whole passages. */
const ROOMY_CHARS = 420;
/** A passage without any border is cut at a space near this length. */
const LONGEST_CHARS = 1_200;

const FENCE = /^\s{0,8}(?:```|~~~)/;
const ITEM = /^\s{0,12}(?:[-*+•]|\d{1,3}[.)]|[a-z][.)])\s+\S/;
const HEADING = /^\s{0,3}(?:#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$)/;

/**
 * Cuts prose into passages, in order, none empty. A heading or a line that ends in a colon stays with the text after
 * it; a block of code stays whole up to `LONGEST_CHARS`. Linear.
 */
export function passagesOf(prose: string): Passage[] {
  const passages: Passage[] = [];
  let lines: string[] = [];
  let chars = 0;
  let inCode = false;
  const close = (): void => {
    const text = fromFirstLine(lines.join('\n'));
    lines = [];
    chars = 0;
    for (const piece of pieces(text)) {
      const at = passages.length;
      passages.push({ text: at === 0 ? piece.trimStart() : piece, at });
    }
  };
  for (const line of prose.split('\n')) {
    const isFence = FENCE.test(line);
    const leads = lines.length > 0 && introduces(lines.at(-1)!);
    if (!inCode && line.trim() === '') {
      if (chars > 0 && !leads) close();
      continue;
    }
    const begins = !inCode && !leads && (HEADING.test(line) || (ITEM.test(line) && chars > ROOMY_CHARS));
    if (begins) close();
    lines.push(line);
    chars += line.length + 1;
    if (isFence) inCode = !inCode;
    if (isFence && !inCode && chars > ROOMY_CHARS) close();
  }
  close();
  return passages;
}

/** Whether a line announces the text after it. */
function introduces(line: string): boolean {
  return HEADING.test(line) || /[:：]\s*$/.test(line);
}

function pieces(text: string): string[] {
  if (text === '') return [];
  if (text.length <= LONGEST_CHARS) return [text];
  const found: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.length - from <= LONGEST_CHARS ? text.length : borderBefore(text, from);
    const cut = text.slice(from, end);
    const piece = from === 0 || text[from - 1] === '\n' ? fromFirstLine(cut) : cut.trim();
    if (piece !== '') found.push(piece);
    from = end;
  }
  return found;
}

/** The last line break, sentence end or space of the piece that begins at `from`; never inside a surrogate pair. */
function borderBefore(text: string, from: number): number {
  const limit = from + LONGEST_CHARS;
  const least = from + LONGEST_CHARS / 2;
  for (const border of ['\n', '. ', '。', ' ']) {
    const at = text.lastIndexOf(border, limit);
    if (at >= least) return at + border.length;
  }
  return (text.charCodeAt(limit) & 0xfc00) === 0xdc00 ? limit - 1 : limit;
}
