/** Kinds of UTF-16 code units that cost alike, for counting without a tokenizer. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
export const SPACE = 4;
export const NEWLINE = 5;
export const MARK = 6;
/** Letters of Latin words with a sign on them: é, ß, ł. */
export const ACCENTED = 7;
export const HAN = 8;
export const KANA = 9;
export const HANGUL = 10;
/** Cyrillic and Greek. */
export const CYRILLIC = 11;
/** Arabic, Hebrew, Devanagari, Thai and the other scripts of the lower planes. */
export const SCRIPT = 12;
/** Ideographic stops and full-width forms. */
export const WIDE_MARK = 13;
/** Half of an emoji or of a rare character. */
export const SURROGATE = 14;
/** Arrows, box drawing, typographic marks. */
export const SYMBOL = 15;
/** Han characters in their traditional form: o200k_base spends far more on text written in them. */
export const HAN_TRADITIONAL = 16;

/** The commonest that simplified Chinese writes otherwise: a fifth of traditional text. Japanese keeps some of them. */
const TRADITIONAL =
  '個們這來時後說為對學開過還經問點發現實應該將與從業據設檔無類別數參變錯誤碼請選項執軟體環態間關產導標準處運網頁輸顯讀寫資訊麼樣幾讓給當兩邊裡車東長門見電話號書報電腦';

/** First code units of stretches of one kind, ascending; each reaches to the next. */
const STRETCHES: readonly (readonly [number, number])[] = [
  [0x00, MARK],
  [0x09, SPACE],
  [0x0a, NEWLINE],
  [0x0b, SPACE],
  [0x0d, NEWLINE],
  [0x0e, MARK],
  [0x20, SPACE],
  [0x21, MARK],
  [0x30, DIGIT],
  [0x3a, MARK],
  [0x41, UPPER],
  [0x5b, MARK],
  [0x61, LOWER],
  [0x7b, MARK],
  [0x80, SYMBOL],
  [0xa0, SPACE],
  [0xa1, SYMBOL],
  [0xc0, ACCENTED],
  [0x250, CYRILLIC],
  [0x530, SCRIPT],
  [0x1e00, ACCENTED],
  [0x1f00, CYRILLIC],
  [0x2000, SYMBOL],
  [0x3000, WIDE_MARK],
  [0x3040, KANA],
  [0x3100, HAN],
  [0xa000, SYMBOL],
  [0xac00, HANGUL],
  [0xd7b0, SYMBOL],
  [0xd800, SURROGATE],
  [0xe000, SYMBOL],
  [0xff00, WIDE_MARK],
];

/** The kind of each UTF-16 code unit: the one thing a scan looks up. 64 kB, filled in a fraction of a millisecond. */
export const KINDS: Uint8Array = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [from, kind] of STRETCHES) table.fill(kind, from);
  for (const char of TRADITIONAL) table[char.charCodeAt(0)] = HAN_TRADITIONAL;
  return table;
}
