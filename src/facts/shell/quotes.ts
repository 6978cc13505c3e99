/** What stood between quotes, and the position behind it. */
export interface Quoted {
  readonly text: string;
  readonly end: number;
}

export function singleQuoted(line: string, at: number): Quoted | undefined {
  const end = line.indexOf("'", at + 1);
  return end < 0 ? undefined : { text: line.slice(at + 1, end), end: end + 1 };
}

/** Undefined where the quote does not end, or a sub-shell stands in it. */
export function doubleQuoted(line: string, at: number): Quoted | undefined {
  let text = '';
  for (let i = at + 1; i < line.length; i++) {
    const character = line[i]!;
    const next = line[i + 1];
    if (character === '"') return { text, end: i + 1 };
    if (character === '`' || (character === '$' && next === '(')) return undefined;
    const isEscape = character === '\\' && next !== undefined && '"\\$`'.includes(next);
    text += isEscape ? next : character;
    if (isEscape) i++;
  }
  return undefined;
}

/** The lines from `at` to the one that says `delimiter`, or to the end. */
export function hereDocument(line: string, at: number, delimiter: string): Quoted {
  for (let start = at; start < line.length;) {
    const end = endOfLine(line, start);
    if (line.slice(start, end).trimStart() === delimiter)
      return { text: line.slice(at, start), end: end + 1 };
    start = end + 1;
  }
  return { text: line.slice(at), end: line.length };
}

export function endOfLine(line: string, at: number): number {
  const end = line.indexOf('\n', at);
  return end < 0 ? line.length : end;
}
