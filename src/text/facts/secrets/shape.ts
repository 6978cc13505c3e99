/** A secret's shape, and where in it the secret stands: the first group is kept, the rest is not. */
export interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** What each match begins with, in lowercase; the text may have capitals. */
  readonly begins: readonly string[];
  /** Says quickly of a beginning that its pattern fails there: for one that most texts have often. */
  readonly fails?: (text: string, start: number) => boolean;
  /** Whether what was found is one, where its form alone does not say. */
  readonly isOne?: (secret: string) => boolean;
  /** Where the secret that a match ends begins, for one whose own beginning is no sign; not before `floor`. */
  readonly reachesBack?: (text: string, start: number, floor: number) => number;
}

export const list = (names: string): string[] => names.split(' ');

/** Every first, joint and last put together. */
export const joined = (
  firsts: readonly string[],
  joints: readonly string[],
  lasts: readonly string[],
): string[] =>
  firsts.flatMap((first) => joints.flatMap((joint) => lasts.map((last) => `${first}${joint}${last}`)));

/** A quotation mark, also as it is written inside JSON inside JSON. */
export const QUOTE = '\\\\{0,3}["\']';

/** A line break, also as JSON writes it. */
export const BREAK = '[\\n\\r]|\\\\[nr]';
export const LINE_ENDS = `(?=[ \\t]{0,8}(?:$|${BREAK}))`;

/** In JSON a word may follow an escape: the `n` of `\n` is none of its letters. */
const ESCAPED = '(?<=\\\\[bfnrt]|\\\\u00[01][0-9a-fA-F])';
/** Not inside a word. */
export const WORD_BEGINS = `(?:(?<!\\w)|${ESCAPED})`;
/** Not inside a word, nor inside words that hyphens join. */
export const RUN_BEGINS = `(?:(?<![\\w-])|${ESCAPED})`;
