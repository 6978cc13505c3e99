/** Kinds of characters that words are made of, as bits: the kinds in a run of them tell most runs at once. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
export const DASH = 16;
export const DOT = 32;
export const SLASH = 64;
/** Begins an escape; part of no word. */
export const STOP = 128;

/**
 * Kind of each UTF-16 unit; 0 separates words. A table of all units needs no branch per character.
 *
 * Letters of alphabets that put spaces between words count as letters, so that a name is not torn at its `ö`. Other
 * scripts separate: Chinese and Japanese write a file name between two words without a space.
 */
export const KIND = new Uint8Array(0x10000);
KIND.fill(LOWER, 0xc0, 0x2000);
KIND.fill(LOWER, 97, 123);
KIND.fill(UPPER, 65, 91);
KIND.fill(DIGIT, 48, 58);
KIND[95] = UNDERSCORE;
KIND[45] = DASH;
KIND[46] = DOT;
KIND[47] = SLASH;
KIND[92] = STOP; // backslash
KIND[27] = STOP; // terminal escape

export const ALPHANUMERIC = LOWER | UPPER | DIGIT;
