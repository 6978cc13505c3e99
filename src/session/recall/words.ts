/** Longer words are encoded bytes, which no query contains. */
const MAX_WORD_CHARS = 64;
/** Further words of a query no longer change the order of the answers. */
const MAX_QUERY_WORDS = 128;

/** A name with its joints: `src/load_all.ts`, `a-b`, `fooBar`. */
const NAME = /[\p{L}\p{N}\p{M}_]+(?:[-./:@][\p{L}\p{N}\p{M}_]+)*/gu;
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_NAME = /[a-z\d_]+(?:[-./:@][a-z\d_]+)*/gi;
/** Neither joints nor humps. */
const PLAIN_WORD = /^(?:[a-z\d]+|[A-Z\d]+)$/;
const JOINT = /[-./:@_]+/u;
/** `parseConfig` is found as one word and as two. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
/** Splits ASCII names like both patterns above, in a third of the time. */
const ASCII_PIECE = /[A-Z]+[a-z\d]*|[a-z\d]+/g;
/** Scripts without spaces: their words are pairs of characters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;

/** Letters joined by signs, or with a digit: `load_all`, `src/a.ts`, `E1701`. */
export const isName = (word: string): boolean => /[^\p{L}]/u.test(word);

/** The distinct words of a text, in order. Words contain only letters, digits and `_./:@-`. */
export const wordsOfText = (text: string): readonly string[] => [
  ...new Set(namesOf(text).flatMap((name) => wordsOfName(name))),
];

/** The distinct words of a query. Empty if it has none. */
export const wordsOfQuery = (query: string): readonly string[] =>
  wordsOfText(query).slice(0, MAX_QUERY_WORDS);

/** Names and words of a text as they are written, each once and without their pieces. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.normalize('NFKC').match(NAME))].filter(
    (name) => name.length > 2 && name.length <= MAX_WORD_CHARS && !name.match(UNSPACED),
  );
}

/** Names of a text in order, with repetitions; `wordsOfName` makes words of them. */
export function namesOf(text: string): readonly string[] {
  // Most text is ASCII, for which the simpler pattern is enough.
  return (ASCII.test(text) ? text.match(ASCII_NAME) : text.normalize('NFKC').match(NAME)) ?? [];
}

/** The words by which a name is found: the whole name and its pieces, with repetitions. */
export function wordsOfName(name: string): readonly string[] {
  if (PLAIN_WORD.test(name)) return name.length <= MAX_WORD_CHARS ? [name.toLowerCase()] : [];
  const unspaced = ASCII.test(name) ? undefined : name.match(UNSPACED);
  const spaced = unspaced ? name.replace(UNSPACED, ' ').split(' ') : [name];
  return [...(unspaced ?? []).flatMap(pairsOf), ...spaced.flatMap(piecesOf)]
    .filter((word) => word.length <= MAX_WORD_CHARS)
    .map((word) => word.toLowerCase());
}

function piecesOf(name: string): string[] {
  if (PLAIN_WORD.test(name)) return [name];
  const pieces = ASCII.test(name)
    ? (name.match(ASCII_PIECE) ?? [])
    : name.split(JOINT).flatMap((piece) => (piece ? piece.split(HUMP) : []));
  return pieces.length > 1 ? [name, ...pieces] : pieces;
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.length === 1
    ? [run]
    : characters.slice(1).map((character, i) => characters[i]! + character);
}
