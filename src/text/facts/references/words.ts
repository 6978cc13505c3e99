/** Characters of a word: letters of alphabets with blanks between words, so that a name is not split at its `ö`. */
const LOWER = 'a-z\\u00c0-\\u1fff';
const WORD = `A-Z0-9_./${LOWER}-`;
/** Escapes of JSON and terminal colours: output is often JSON in JSON, and their letters would join the next word. */
const ESCAPES = /\\u[0-9a-fA-F]{4}|\\[nrt\\]|[^\P{Cc}\s]\[[^a-zA-Z]{0,18}[a-zA-Z]/gu;
/** A run that is no plain word, and a bracket after it: most text is skipped here. */
const RUN = new RegExp(
  String.raw`(?<![${WORD}])(?=[A-Z]?[${LOWER}]*(?:[A-Z0-9_/-]|\.[${WORD}]))[${WORD}]{4,}\(?`,
  'g',
);
const CAPITALS = /^[A-Z]+\(?$/;
const EDGES = new RegExp(`^[^A-Z0-9${LOWER}]{1,300}|[^A-Z0-9${LOWER}]{1,300}$`, 'g');
const LETTER = new RegExp(`[A-Z${LOWER}]`);
/** fooBar, FooBar, foo_bar, id7; and HTTPServer, with three capitals or more. */
const COMPOUND = new RegExp(`[_\\d]|[${LOWER}][A-Z]|.[A-Z]{2}[${LOWER}]`);
const EXTENSION = new RegExp(`^[${LOWER}][${LOWER}\\d]{0,5}$`);

/** Shorter names match by chance: `utf8`, `int64`, `isOk`. */
const MIN_NAME = 6;
/** A number is rare enough with four digits, not counting zeros at its ends. */
const SIGNIFICANT = /[1-9]\d{2,254}[1-9]/;
/** Longer words are base64 or minified code, which no one repeats. */
const MAX_WORD = 256;
/** Hyphens join ordinary words (`read-only`, `long-running`); a lowercase name with only one must be longer. */
const MIN_HYPHENATED = 12;

/**
 * Of a text longer than both together, only this much of its head and its tail is scanned. Such texts are dumps; a full
 * scan would slow down every run, and an agent usually needs the ends of a dump.
 */
export const SCAN_HEAD_CHARS = 140_000;
export const SCAN_TAIL_CHARS = 60_000;

type Visit = (word: string) => void;

/**
 * Visits the distinctive words of a text: paths, file names, parts of URLs, identifiers of more than one word, ids and
 * numbers with digits, but no lowercase dictionary words. Each is visited once or more. Linear.
 */
export function scanWords(text: string, visit: Visit): void {
  if (text.length > SCAN_HEAD_CHARS + SCAN_TAIL_CHARS) {
    scanWords(text.slice(0, SCAN_HEAD_CHARS), visit);
    return scanWords(text.slice(-SCAN_TAIL_CHARS), visit);
  }
  for (const found of new Set(text.replace(ESCAPES, ' ').match(RUN))) {
    if (found.length > 2 * MAX_WORD || CAPITALS.test(found)) continue;
    const isCalled = found.endsWith('(');
    visitRun(isCalled ? found.slice(0, -1) : found, isCalled, visit);
  }
}

/** Visits the path, its base name (`/a/foo.ts` matches `foo.ts`), and names between dots (`models.ManyToManyField`). */
function visitRun(run: string, isCalled: boolean, visit: Visit): void {
  if (!/[./]/.test(run)) return void visitName(run, visit);
  const bare = run.replace(EDGES, '');
  const segments = bare.split('/');
  const found = visitSegment(segments.at(-1)!, isCalled && run.endsWith(bare), visit);
  // A leading slash marks a path. A single slash between two plain words is prose: `and/or`, `true/false`.
  const slashes = segments.length - 1 + (run[run.indexOf(bare) - 1] === '/' ? 1 : 0);
  const isPath = segments.length > 1 && (found || slashes > 1);
  if (isPath && bare.length >= MIN_NAME && bare.length <= MAX_WORD) visit(bare);
}

/** Visits the names after the last slash. True if a distinctive word was found. */
function visitSegment(segment: string, isCalled: boolean, visit: Visit): boolean {
  const whole = segment.replace(EDGES, '');
  const pieces = whole.split('.');
  if (pieces.length === 1) return visitName(whole, visit);
  // The pieces of a version or a decimal mean nothing alone.
  const isNumeric = !LETTER.test(whole);
  const names = isNumeric ? [] : pieces.filter((piece) => piece.length >= MIN_NAME && LETTER.test(piece));
  const found = names.map((piece) => visitName(piece, visit)).includes(true);
  // `stem.ext`, but no method call: `os.path.join(`.
  const isFile = !isCalled && whole.length >= MIN_NAME - 1 && EXTENSION.test(pieces.at(-1)!);
  if (!(isNumeric ? isNumber(whole) : isFile) || whole.length > MAX_WORD) return found;
  visit(whole);
  return true;
}

/**
 * An identifier of several words (camelCase, snake_case, kebab-case), an id that mixes letters and digits, or a number.
 * `__init__` and `_name` are identified by their letters.
 */
function visitName(word: string, visit: Visit): boolean {
  const name = word.replace(EDGES, '');
  if (name.length > MAX_WORD) return false;
  const dashes = name.split('-').length - 1;
  const isJoined = dashes > 1 || (dashes === 1 && name.length >= MIN_HYPHENATED);
  const isDistinctive = LETTER.test(name)
    ? name.length >= MIN_NAME && (isJoined || COMPOUND.test(name))
    : isNumber(name);
  if (isDistinctive) visit(name);
  return isDistinctive;
}

const isNumber = (text: string): boolean => SIGNIFICANT.test(text.replaceAll(/\D/g, ''));
