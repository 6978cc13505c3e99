/** Slices of text that never part a surrogate pair. */

export function headOf(text: string, chars: number): string {
  if (chars >= text.length) return text;
  return text.slice(0, Math.max(0, splitsPair(text, chars) ? chars - 1 : chars));
}

export function tailOf(text: string, chars: number): string {
  if (chars >= text.length) return text;
  const at = text.length - Math.max(0, chars);
  return text.slice(splitsPair(text, at) ? at + 1 : at);
}

/** Without blank lines at its head and blanks at its end: how far its first line is indented says what it belongs to. */
export const fromFirstLine = (text: string): string => text.replace(/^\s*\n/, '').trimEnd();

/** One line of at most `chars` characters, with the white space of the original run together. */
export function oneLine(text: string, chars: number): string {
  // Only as much as can be shown is looked at: the text may be a megabyte.
  const flat = headOf(text, chars * 4)
    .replace(/[\s\u0085]+/g, ' ')
    .trim();
  return flat.length > chars ? `${headOf(flat, chars - 1).trimEnd()}…` : flat;
}

/** The line around a hit; where it is too long, as much around the hit as fits. */
export function lineAround(text: string, hit: number, chars: number): string {
  const start = Math.max(text.lastIndexOf('\n', hit - 1) + 1, hit - chars);
  const end = Math.min(endOfLine(text, hit), hit + chars);
  if (end - start <= chars) return text.slice(start, end).trim();
  const from = Math.max(start, Math.min(hit - Math.floor(chars / 4), end - chars));
  return headOf(text.slice(splitsPair(text, from) ? from + 1 : from, end), chars).trim();
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** Text of others inside our own: in quotation marks that it cannot close. */
export function quoted(text: string): string {
  return `“${text.replace(/[“”]/g, '"')}”`;
}

/** A tool's name as it may stand inside our own brackets: one line, no brackets, not endless. */
export function plainName(tool: string | undefined): string {
  return headOf(tool?.replace(/[[\]\s\u0085]+/g, ' ').trim() ?? '', 60) || 'tool';
}
