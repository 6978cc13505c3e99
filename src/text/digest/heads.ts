import type { Voice } from './digest-index.js';

/** Who speaks in a line of a digest: `User [m2]: …`. */
export const NAMES: Readonly<Record<Voice, string>> = {
  user: 'User',
  pasted: 'User pasted',
  agent: 'Assistant',
  written: 'Assistant, in a call',
  report: 'Another agent reported',
  earlier: 'Earlier summary',
};

const HEADS = Object.values(NAMES).map((name) => `${name} [`);
const isHead = (line: string): boolean => HEADS.some((head) => line.startsWith(head));

/** Lines that pass for the head of a message (`User [m2]: …`), in words of somebody else, are told to be none: `User ‹m2]: …`. */
export function withoutHeads(text: string): string {
  if (!text.includes(' [')) return text;
  return text
    .split('\n')
    .map((line) => (isHead(line.trimStart()) ? line.replace('[', '‹') : line))
    .join('\n');
}

const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/** Continued lines stand behind so many blanks: whatever ends a line for a reader, no text can begin a line of ours. */
export function indented(text: string, blanks: number): string {
  return text.replace(LINE_END, (end) => end + ' '.repeat(blanks));
}
