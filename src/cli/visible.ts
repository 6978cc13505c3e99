/** What moves the cursor of a terminal, or turns the direction of what stands behind it. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Ids and words are anybody's: what a terminal would obey is written out. Lines end where `newline` is none. */
export function visible(text: string, newline = '\n'): string {
  return text.replace(UNSEEN, (sign) =>
    sign === '\n' ? newline : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
