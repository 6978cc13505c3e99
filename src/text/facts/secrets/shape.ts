/** A kind of secret, and its place in a match: the first group is kept, the rest is the secret. */
export interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** The beginnings of all matches, in lowercase; the text may have capitals. */
  readonly begins: readonly string[];
  /** A quick check that the pattern fails at a beginning: for beginnings that most texts have often. */
  readonly rulesOut?: (text: string, start: number) => boolean;
  /** Whether a match is a secret, if its form alone does not decide. */
  readonly isSecret?: (secret: string) => boolean;
  /** Start of the secret that a match ends, if the start itself has no sign; not before `floor`. */
  readonly startOf?: (text: string, start: number, floor: number) => number;
}

export const list = (names: string): string[] => names.split(' ');

/** All combinations of a first, a joint and a last part. */
export const combinations = (
  firsts: readonly string[],
  joints: readonly string[],
  lasts: readonly string[],
): string[] =>
  firsts.flatMap((first) => joints.flatMap((joint) => lasts.map((last) => `${first}${joint}${last}`)));

/** A quotation mark, also as written in JSON inside JSON. */
export const QUOTE = '\\\\{0,3}["\']';

/** A line break, also as JSON writes it. */
export const BREAK = '[\\n\\r]|\\\\[nr]';
export const LINE_END = `(?=[ \\t]{0,8}(?:$|${BREAK}))`;

/** In JSON a word may follow an escape: the `n` of `\n` does not belong to the word. */
const ESCAPED = '(?<=\\\\[bfnrt]|\\\\u00[01][0-9a-fA-F])';
/** Not inside a word. */
export const WORD_START = `(?:(?<!\\w)|${ESCAPED})`;
/** Not inside a word, nor inside hyphenated words. */
export const RUN_START = `(?:(?<![\\w-])|${ESCAPED})`;
