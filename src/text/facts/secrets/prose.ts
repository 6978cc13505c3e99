import { list, QUOTE, WORD_START, type Shape } from './shape.js';

/** Words for a password in languages other than English; the first letter may be a capital. */
const NAMES = [
  '[Pp]asswort',
  '[Kk]ennwort',
  '[Ww]achtwoord',
  '[Mm]ot de passe',
  '[Cc]ontrase[nñ]a',
  '[Ss]enha',
  '[Pp]alavra-passe',
  '[Пп]ароль',
  'パスワード',
  '密[码碼]',
  '비밀번호',
  'पासवर्ड',
  'كلمة (?:المرور|السر)',
];
/** The beginnings by which the names are found: the first letters, with few variants. */
const PREFIXES = [
  ...list('passwort kennwort wachtwoord contrase senha palavra-passe'),
  'mot de passe',
  ...list('пар パス 密 비밀 पास كل'),
];
const COPULA = '(?:ist|lautet|is|est|es|é|는|은|है|это|هي)';
/** `: `, ` ist `, `は`, `是`. */
const SEPARATOR = `(?:(?:${QUOTE})?\\s{0,3}[:=：–—]\\s{0,3}(?:${QUOTE}|[«„“])?|\\s{1,3}${COPULA}:?\\s{1,3}|\\s?(?:는|은|は|是|为)[:：]?\\s{0,3})`;

/** Printed characters except quotation marks, tag brackets and separators; no letters of scripts without blanks. */
const SIGN = '[!#-&(-+\\--:=?-\\[\\]-_a-~\u00a1-\u024f\u0400-\u04ff]';
const LETTER = 'A-Za-z\u00c0-\u024f\u0400-\u04ff';
const DIGIT = `(?=[^\\s\\d"',;<>\\\\]{0,40}\\d)`;
const ONE_OF = (signs: string): string => `(?=[^\\s${signs}"',;<>\\\\]{0,40}[${signs}])`;
/** Excluded values: the name of an algorithm, a quantity, a reference, code. */
const NO_VALUE =
  '(?!(?:[Ss][Hh][Aa]|[Mm][Dd]5|[Bb]ase|[Bb]crypt|[Aa][Ee][Ss]|[Uu][Tt][Ff]|[Aa]rgon|https?:)|\\d{1,3}-|[$<{[%(]|\\w{1,40}(?:\\.\\w{1,40}){0,4}[([]|\\w{1,40}\\.[a-zA-Z_]|[\\w.-]{1,40}/)';
/** Letters and a digit, after a name that clearly means a password. */
const VALUE = `${NO_VALUE}${DIGIT}${ONE_OF(LETTER)}${SIGN}{6,64}`;
/** After a name with other meanings too: additionally a special character, as passwords have it. */
const MIXED = `${NO_VALUE}${DIGIT}${ONE_OF(LETTER)}${ONE_OF('!@#$%^&*?~')}(?![^\\s"',;<>\\\\]{0,64}[/:|])${SIGN}{8,64}`;
/** The whole value except a full stop. */
const WHOLE_VALUE = `${SIGN}{5,63}(?!\\.)${SIGN}`;

/** Passwords in sentences. */
export const PROSE_SHAPES: readonly Shape[] = [
  {
    kind: 'password',
    begins: [...PREFIXES, ...list('pass pw login')],
    pattern: new RegExp(
      `((?:${NAMES.join('|')})${SEPARATOR}(?=${VALUE})|${WORD_START}(?:[Pp]ass|PASS|[Pp]w|PW)(?:${QUOTE})?\\s{0,3}[:=]\\s{0,3}(?:${QUOTE})?(?=${MIXED})|${WORD_START}[Ll]ogin(?: is|:)\\s{1,3}[\\w.@+-]{1,64} / (?=${MIXED}))${WHOLE_VALUE}`,
      'g',
    ),
  },
];
