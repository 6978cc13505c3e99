import type { Shape } from './shape.js';

/** The longest private key in one block, in characters: RSA of 16,384 bits is about 12,600. */
const MAX_KEY_CHARS = 20_000;
/** Shorter lines inside a block are words, not a key. */
const MIN_LINE_CHARS = 16;

const isKeyChar = (code: number): boolean =>
  (code >= 48 && code <= 57) || // 0-9
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 43 || // +
  code === 47 || // /
  code === 61 || // =
  code === 95; // _

/**
 * Start of the lines of a key that end directly before `start`. Each character is read once: a line that is too short
 * ends the walk. Lines may be separated as in JSON, by `\n`.
 */
function keyStart(text: string, start: number, floor: number): number {
  const least = Math.max(floor, start - MAX_KEY_CHARS);
  let begins = start;
  for (let isLast = true; ; isLast = false) {
    let to = begins;
    for (let isSeparator = true; isSeparator && to > least;) {
      const code = text.charCodeAt(to - 1);
      const isEscape =
        to - 2 >= least && text[to - 2] === '\\' && (text[to - 1] === 'n' || text[to - 1] === 'r');
      isSeparator = code === 10 || code === 13 || code === 32 || code === 9 || isEscape;
      if (isSeparator) to -= isEscape ? 2 : 1;
    }
    if (to === begins && !isLast) return begins;
    let from = to;
    while (from > least && isKeyChar(text.charCodeAt(from - 1))) from--;
    // A letter after a backslash belongs to the escape.
    if (from > 0 && from < to && text[from - 1] === '\\') from++;
    if (to - from < (isLast ? 1 : MIN_LINE_CHARS)) return begins;
    begins = from;
  }
}

/** Private keys in PEM and PGP armour, and the rest of a key whose beginning was cut off. */
export const KEY_SHAPES: readonly Shape[] = [
  {
    kind: 'private key',
    begins: ['-----begin '],
    pattern:
      /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\w+/=\s\\:,.-]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?=[^\w+/=\s\\:,.-])|$)/g,
  },
  {
    kind: 'private key',
    begins: ['-----end '],
    pattern: /()-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
    startOf: keyStart,
  },
];
