/** Shorter words that look random are ids, versions and abbreviations more often than keys. */
const LEAST_CHARS = 20;
/** Longer runs are encoded files. */
const MOST_CHARS = 512;
/** Of neighbours, so many are of another kind: chance makes 0.62 of them (letters of both cases and digits), camel case 0.3. */
const LEAST_CHANGES = 0.42;
const LEAST_DIGIT_GROUPS = 3;
/** What hyphens part is a name with a date and a number in it; chance puts one sign in 32 of a key. */
const MOST_JOINTS = 3;

/** `toolu_…`, `PRRC_…`, `ses_…`: an id that says what it is of, and that a later call may need. */
const TYPED = /^[a-z]{2,12}_/i;

/**
 * Whether nobody would have chosen a word: letters of both cases and digits, so mixed as only chance mixes them. Hashes
 * and UUIDs, which are written in one case, are not: programs print them for everybody.
 */
function isRandomWord(word: string): boolean {
  if (word.length < LEAST_CHARS || word.length > MOST_CHARS || TYPED.test(word)) return false;
  let changes = 0;
  let groups = 0;
  let kinds = 0;
  let letters = 0;
  let joints = 0;
  let before = -1;
  for (let i = 0; i < word.length; i++) {
    const kind = kindOf(word.charCodeAt(i));
    if (kind < 0) return false;
    kinds |= 1 << kind;
    if (kind < JOINT) letters++;
    else joints++;
    if (before >= 0 && kind !== before) changes++;
    if (kind === DIGIT && before !== DIGIT) groups++;
    before = kind;
  }
  const isMixed = (kinds & 0b111) === 0b111 && letters >= LEAST_CHARS && joints <= MOST_JOINTS;
  return isMixed && groups >= LEAST_DIGIT_GROUPS && changes >= LEAST_CHANGES * (word.length - 1);
}

/** A text without its random words, but those that may stay. */
export function withoutRandomWords(text: string, mayStay: (word: string) => boolean): string {
  let clean = '';
  let done = 0;
  // A word this long covers one of every `LEAST_CHARS` places: the others need not be looked at.
  for (let at = LEAST_CHARS - 1; at < text.length; at += LEAST_CHARS) {
    if (kindOf(text.charCodeAt(at)) < 0) continue;
    let from = at;
    while (from > 0 && kindOf(text.charCodeAt(from - 1)) >= 0) from--;
    while (at < text.length && kindOf(text.charCodeAt(at)) >= 0) at++;
    const word = text.slice(from, at);
    if (!isRandomWord(word) || mayStay(word)) continue;
    clean += `${text.slice(done, from)}[random word removed]`;
    done = at;
  }
  return done === 0 ? text : clean + text.slice(done);
}

const DIGIT = 2;
const JOINT = 3;

/** 0: lowercase, 1: uppercase, 2: a digit, 3: a sign that joins; -1: no part of a word. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  if (code >= 48 && code <= 57) return DIGIT;
  return code === 43 || code === 45 || code === 61 || code === 95 ? JOINT : -1;
}
