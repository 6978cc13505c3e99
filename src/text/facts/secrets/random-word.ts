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
  if (word.length > MOST_CHARS || TYPED.test(word)) return false;
  const letters = word.replaceAll(/[+=_-]/g, '');
  if (letters.length < LEAST_CHARS || word.length - letters.length > MOST_JOINTS) return false;
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
  const changes = (word.match(/[a-z]+|[A-Z]+|\d+|[+=_-]+/g) ?? []).length - 1;
  const groups = word.match(/\d+/g) ?? [];
  return isMixed && groups.length >= LEAST_DIGIT_GROUPS && changes >= LEAST_CHANGES * (word.length - 1);
}

/** The look behind keeps it from trying within a word that is too short. */
const LONG_WORD = new RegExp(`(?<![\\w+=-])[\\w+=-]{${LEAST_CHARS},}`, 'g');

/** A text without its random words, but those that may stay. */
export function withoutRandomWords(text: string, mayStay: (word: string) => boolean): string {
  return text.replaceAll(LONG_WORD, (word) =>
    isRandomWord(word) && !mayStay(word) ? '[random word removed]' : word,
  );
}
