import { list } from './shape.js';

/** Longer values are no placeholders. In characters. */
const MAX_CHARS = 60;
const MAX_WORDS = 6;
/** A passphrase may contain one of these words too. */
const MAX_DUMMY_WORDS = 4;

/** A reference that code or a template fills in: `<token>`, `${TOKEN}`, `{{ x }}`, `%TOKEN%`, `process.env.TOKEN`. */
const REFERENCE =
  /^(?:<[^<>]*>|\$\{[^{}]*\}|\$\w+|\{\{?[^{}]*\}\}?|%\w+%|\([a-z ]+\)|\[[a-z _-]+\]|(?:process\.env|import\.meta\.env|os\.environ)[.[][\w'"\]]+)$/i;
/** An omission after the prefix of a kind: `sk-ant-...`. A digit before the dots would belong to a value. */
const LEFT_OUT = /^[a-z_-]{0,12}(?:\.{3,}|…)$/i;
/** The name of a variable. */
const VARIABLE = /^[A-Z]+(?:_[A-Z]+)+$/;
/** Characters that follow a value on its line of code, including line breaks as JSON writes them. */
const TRAILING = '\\;,)]}\'"`';

/** Words that mark a value as a dummy. */
const DUMMY = new Set(
  list(
    'test tests testing tester example examples sample dummy fake faked mock mocked stub fixture placeholder changeme todo redacted invalid expected your foo foobar',
  ),
);
/** The kinds of values. */
const KINDS = list('key apikey token tok secret password passwd passphrase pass credential credentials');
/** Words of values that only describe themselves, as in tests and documents. */
const SELF_DESCRIBING = new Set([
  ...KINDS,
  ...list(
    'a my the some this that old new first second other another valid real default fallback env value here',
  ),
  ...list(
    'user users app api auth access refresh session client server service request response worker core',
  ),
  ...list('admin super private public bot account me in of for with it put goes enter'),
]);
const KIND = new Set(KINDS);

/**
 * Whether a candidate is no usable secret: a reference, a name, dots, or plain words that describe themselves
 * (`test-secret-key`, `your_api_key_here`, `xxxx`). A word that is not plain, such as `hunter2`, makes it a secret.
 */
export function isPlaceholder(found: string): boolean {
  if (found.length > MAX_CHARS) return false;
  const value = withoutTrailing(found);
  if (REFERENCE.test(found) || REFERENCE.test(value) || LEFT_OUT.test(value)) return true;
  const words = wordsIn(value);
  if (!words || words.length > MAX_WORDS) return false;
  const last = words.findLast((word) => !isNumber(word));
  if (VARIABLE.test(value)) return KIND.has(last!);
  if (words.some(isDummy)) return words.length <= MAX_DUMMY_WORDS || words.every(isKnown);
  // `password123` is in real use.
  const isCommon = words.length === 2 && words.some(isNumber);
  return last !== undefined && KIND.has(last) && !isCommon && words.every(isKnown);
}

function withoutTrailing(value: string): string {
  let end = value.length;
  for (; end > 0; end--) {
    if (end > 1 && value[end - 2] === '\\' && 'nrt'.includes(value[end - 1]!)) end--;
    else if (!TRAILING.includes(value[end - 1]!)) break;
  }
  return value.slice(0, end);
}

/** In lowercase; undefined if the value has a part that is neither a plain word nor a short number. */
function wordsIn(value: string): string[] | undefined {
  const words = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[-_. ]|(?<=[a-z])(?=\d{1,4}$)/)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => PLAIN.test(word) || isDummy(word)) ? words : undefined;
}

const PLAIN = /^(?:[a-z]{1,12}|\d{1,4})$/;

const isNumber = (word: string): boolean => /^\d+$/.test(word);

/** `xxx` and `****` are masks written by hand. */
const isDummy = (word: string): boolean => DUMMY.has(word) || /^(?:x{3,}|\*{3,}|0{5,})$/.test(word);

const isKnown = (word: string): boolean => SELF_DESCRIBING.has(word) || isNumber(word) || isDummy(word);
