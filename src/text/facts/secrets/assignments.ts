import { combinations, BREAK, LINE_END, list, QUOTE, type Shape } from './shape.js';

/** Names whose assigned value is a secret. */
const NAMED = [
  ...list('passwd password passphrase secret'),
  ...combinations(list('api access account private secret'), ['', '_', '-'], ['key']),
  ...combinations(list('auth access refresh session bot'), ['', '_', '-'], ['token']),
];
const NAMES = NAMED.join('|');
/** Endings of environment variables with a secret of any form; `PWD` alone is a folder. */
const STRONG = list('PASSWORD PASSWD PASSPHRASE SECRET TOKEN CREDENTIAL CREDENTIALS');
const ENDINGS = `(?:${STRONG.join('|')}|API_?KEY|ACCESS_?KEY|ACCOUNT_?KEY|SECRET_?KEY|PRIVATE_?KEY)(?:_[A-Z0-9_]{1,20})?|(?<=_)(?:PASS|PWD)`;
/** Names that also have other uses: only a random-looking value is a secret. */
const WEAK = list('KEY DSN AUTH CREDS');
/** `urn:ietf:params:oauth:token-type:access_token`: the name of a kind is never a secret. */
const NO_URN = '(?!urn:[a-z])';
/** A reference to a value, a template, or a quantity. */
const NO_VALUE = '(?!\\$(?:\\w+(?![\\w$])|[({])|[<{[]|\\d{1,11}(?![\\w.!@#$%^*-]))';
/** Code that calls or looks up. */
const NO_CODE = '(?!\\w{1,40}(?:\\.\\w{1,40}){0,4}[([]|\\w{1,40}\\.[a-zA-Z_])';
/** A mix of letters and digits, with at least so many characters. */
const MIXED = (least: number): string =>
  `(?=[\\w+/=.~-]{${least}})(?=[^\\s"'\\d]{0,80}\\d)(?=[^\\s"'a-zA-Z]{0,80}[a-zA-Z])`;

/** The start of a line before such a name. */
const VARIABLE = `(?<=(?:^|${BREAK})[ \\t]{0,8}(?:export |set )?[A-Z0-9_]{0,40})`;

const ENV_PREFIXES = [...STRONG, ...list('PASS PWD')]
  .concat(combinations(list('API ACCESS ACCOUNT SECRET PRIVATE'), ['', '_'], ['KEY']))
  .map((name) => name.toLowerCase());
const PLAIN_NAMES = list('password passwd passphrase secret token pwd');

/**
 * Values that a name marks as secrets. Code that only names a secret (`process.env.API_KEY`, `password: string`) does
 * not count. Each run of characters in a pattern is bounded, or no other match can begin inside it.
 */
export const ASSIGNMENT_SHAPES: readonly Shape[] = [
  // A line of an environment file, with nothing else: up to its end.
  {
    kind: 'secret',
    begins: ENV_PREFIXES,
    pattern: new RegExp(`(${VARIABLE}(?:${ENDINGS})=)${NO_VALUE}${NO_CODE}[^\\s"'\\\\]{4,}${LINE_END}`, 'g'),
  },
  // In quotation marks a value may contain blanks.
  {
    kind: 'secret',
    begins: ENV_PREFIXES,
    pattern: new RegExp(`((?<![a-z])(?:${ENDINGS})=${QUOTE})${NO_VALUE}[^\\n"'\\\\]{4,200}(?=${QUOTE})`, 'g'),
  },
  {
    kind: 'secret',
    begins: ENV_PREFIXES,
    pattern: new RegExp(`((?<![a-z])(?:${ENDINGS})=["']?)${NO_VALUE}${NO_CODE}[^\\s"',;&\\\\]{6,}`, 'g'),
  },
  {
    kind: 'secret',
    begins: WEAK.map((name) => name.toLowerCase()),
    pattern: new RegExp(`((?<![A-Za-z0-9])(?:${WEAK.join('|')})=["']?)${MIXED(16)}[\\w+/=.~-]{16,}`, 'g'),
  },
  // In quotation marks anything except a template is a value.
  {
    kind: 'secret',
    begins: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})[\\w-]{0,20}(?:${QUOTE})?\\s{0,4}[:=]\\s{0,4}${QUOTE})${NO_URN}(?![$<{])[^\\s"'\\\\]{8,}`,
      'gi',
    ),
  },
  // Unquoted: code is possible too, so a digit is required, and no call or lookup.
  {
    kind: 'secret',
    begins: NAMED,
    pattern: new RegExp(
      `((?:${NAMES})(?:\\s{0,4}[:= ]\\s{0,4}| is | was ))${NO_URN}(?=[^\\s"',;&\\\\]{0,60}\\d)(?![\\w$]{1,60}[.([])[\\w+/=~!@#%^*-]{8,}`,
      'gi',
    ),
  },
  // A header, or a line of YAML: `PRIVATE-TOKEN: …`, `token: …`.
  {
    kind: 'secret',
    begins: ['token', 'api-key', 'apikey', 'auth-key'],
    pattern: new RegExp(
      `((?<![a-z])(?:token|api-?key|auth-key)["']?:\\s{0,4}["']?)${MIXED(16)}[\\w+/=~-]{16,}`,
      'gi',
    ),
  },
  // A line of YAML with a word as password: long enough to exclude types and "required".
  {
    kind: 'secret',
    begins: ['password:', 'passphrase:'],
    pattern: new RegExp(`((?:password|passphrase):[ \\t]{1,4})[a-z]{12,}${LINE_END}`, 'g'),
  },
  {
    kind: 'secret',
    begins: list('password passwd secret token api-key apikey access-key'),
    pattern: new RegExp(
      `((?<=--[a-z-]{0,20})(?:password|passwd|secret|token|api-?key|access-key)[ =]["']?)${NO_VALUE}(?=[^\\s"']{0,100}[^a-z\\s"'-])[^\\s"'-][^\\s"']{5,}`,
      'g',
    ),
  },
  {
    kind: 'secret',
    begins: [...PLAIN_NAMES, 'apikey', 'accesstoken'],
    pattern: new RegExp(`((?<=<)(?:${PLAIN_NAMES.join('|')}|apikey|accesstoken)>)[^<\\s]{4,200}(?=<)`, 'gi'),
  },
  // A row of a table.
  {
    kind: 'secret',
    begins: PLAIN_NAMES,
    pattern: new RegExp(
      `((?<=\\|[ *\`]{0,8})(?:${PLAIN_NAMES.join('|')})[ *\`]{0,20}\\|[ \`]{0,20})(?=[^\\s|]{0,100}\\d)[^\\s|\`]{6,}(?=[ \`]{0,20}\\|)`,
      'gi',
    ),
  },
];
