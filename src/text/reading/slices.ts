/** Slices of text that never split a surrogate pair. */

export function headOf(text: string, chars: number): string {
  if (chars >= text.length) return text;
  return text.slice(0, Math.max(0, splitsPair(text, chars) ? chars - 1 : chars));
}

export function tailOf(text: string, chars: number): string {
  if (chars >= text.length) return text;
  const at = text.length - Math.max(0, chars);
  return text.slice(splitsPair(text, at) ? at + 1 : at);
}

/** Without blank lines at the head and blanks at the end; the first line keeps its indentation, which has meaning. */
export const fromFirstLine = (text: string): string => text.replace(/^\s*\n/, '').trimEnd();

/** One line of at most `chars` characters, with white space collapsed. */
export function oneLine(text: string, chars: number): string {
  // Only as much text as can be shown is read: the text may be a megabyte.
  const flat = headOf(text, chars * 4)
    .replace(/[\s\u0085]+/g, ' ')
    .trim();
  return flat.length > chars ? `${headOf(flat, chars - 1).trimEnd()}…` : flat;
}

/** The line around a match; if it is too long, as much around the match as fits. */
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

/** Puts other people's text into quotation marks that the text cannot close. */
export function quoted(text: string): string {
  return `“${text.replace(/[“”]/g, '"')}”`;
}

/** A tool's name for use in our own brackets: one line, no brackets, limited length. */
export function plainName(tool: string | undefined): string {
  return headOf(tool?.replace(/[[\]\s\u0085]+/g, ' ').trim() ?? '', 60) || 'tool';
}
