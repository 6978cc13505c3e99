const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/** Continued lines stand behind so many blanks: whatever ends a line for a reader, no text can begin a line of ours. */
export function indented(text: string, blanks: number): string {
  return text.replace(LINE_END, (end) => end + ' '.repeat(blanks));
}
