import type { Voice } from './digest-index.js';

/** The speaker's name in a line of a digest: `User [m2]: …`. */
export const SPEAKER_NAMES: Readonly<Record<Voice, string>> = {
  user: 'User',
  pasted: 'User pasted',
  agent: 'Assistant',
  written: 'Assistant, in a call',
  report: 'Another agent reported',
  earlier: 'Earlier summary',
};

const HEADS = Object.values(SPEAKER_NAMES).map((name) => `${name} [`);
const isHead = (line: string): boolean => HEADS.some((head) => line.startsWith(head));

/** Masks lines of other text that look like the head of a message (`User [m2]: …`): `User ‹m2]: …`. */
export function withoutHeads(text: string): string {
  if (!text.includes(' [')) return text;
  return text
    .split('\n')
    .map((line) => (isHead(line.trimStart()) ? line.replace('[', '‹') : line))
    .join('\n');
}

const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/** Indents continued lines, at any kind of line end, so that no text can imitate a line of the digest. */
export function indented(text: string, blanks: number): string {
  return text.replace(LINE_END, (end) => end + ' '.repeat(blanks));
}
