import { list, type Shape } from './shape.js';

/** First two digits of payment card numbers. */
const PREFIXES = list(
  '22 23 24 25 26 27 30 34 35 36 37 38 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 60 62 63 64 65 67',
);
const FIRST_DIGITS = `(?=${PREFIXES.join('|')})`;
/** As printed on cards: groups of four, or four, six and the rest; with one separator. */
const GROUPED = '\\d{4}([ -])(?:\\d{4}\\2\\d{4}\\2\\d{1,4}(?:\\2\\d{1,3})?|\\d{6}\\2\\d{4,5})';
/** Without separators only the lengths that issuers use, because ids may be equally long. */
const RUN =
  '(?:3[47]\\d{13}|3(?:0[0-5]|[68]\\d)\\d{11}|(?:4|5[1-5]|6[0245]|35|2[2-7])\\d{14,15}(?<=(?<!\\d)\\d{16}))';

/** Payment card numbers: by their form and their check digit. */
export const CARD_SHAPES: readonly Shape[] = [
  {
    kind: 'card number',
    begins: PREFIXES,
    pattern: new RegExp(
      `()(?<![\\w.+#/=@-]|\\d[ ,:])${FIRST_DIGITS}(?:${GROUPED}|${RUN})(?![\\w@]|[ .,:/-]\\d)`,
      'g',
    ),
    rulesOut: (text, start) => isDigitAt(text, start - 1) || !isDigitAt(text, start + 3),
    isSecret: (number) => hasCheckDigit(number) && !isConsecutive(number),
  },
];

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** `3000 3001 3002 3003`: consecutive numbers of four digits. */
function isConsecutive(number: string): boolean {
  const [first = 0, ...others] = number.split(/[ -]/).map(Number);
  return others.length > 1 && others.every((group, i) => group === first + i + 1);
}

/** Luhn's sum: every second digit from the right counts twice. */
function hasCheckDigit(number: string): boolean {
  const digits = [...number].filter((sign) => sign >= '0' && sign <= '9').map(Number);
  const sum = digits.reduceRight((total, digit, i) => {
    const isTwice = (digits.length - i) % 2 === 0;
    return total + (isTwice ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit);
  }, 0);
  return digits.length >= 13 && digits.length <= 19 && new Set(digits).size > 1 && sum % 10 === 0;
}
