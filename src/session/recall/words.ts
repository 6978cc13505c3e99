/** How often each word stands in a text. Words hold letters, digits and `_./:@-`, nothing else. */
export type WordCounts = ReadonlyMap<string, number>;

/** Of a longer text only its head and its tail can be searched: what is longer is a dump, and an index of it a second one. */
const SEARCHED_HEAD_CHARS = 1_000_000;
const SEARCHED_TAIL_CHARS = 200_000;
/** Different words of one text. */
const MAX_WORDS = 20_000;
/** Longer ones are encoded bytes: nobody asks for them by name. */
const MAX_WORD_CHARS = 64;
/** Words of a question beyond this one change the order of the answers no more. */
const MAX_QUERY_WORDS = 128;

/** A name with its joints: `src/load_all.ts`, `a-b`, `fooBar`. */
const NAME = /[\p{L}\p{N}\p{M}_]+(?:[-./:@][\p{L}\p{N}\p{M}_]+)*/gu;
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_NAME = /[a-z\d_]+(?:[-./:@][a-z\d_]+)*/gi;
/** Neither joints nor humps. */
const PLAIN_WORD = /^(?:[a-z\d]+|[A-Z\d]+)$/;
const JOINT = /[-./:@_]+/u;
/** `parseConfig` is asked for as one word and as two. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
/** Written without spaces: the words are in pairs of characters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;

/** How often each word stands in a text, by the words that passages are found by. */
export function wordsOfText(text: string): WordCounts {
  const counts = new Map<string, number>();
  countWords(text, counts);
  return counts;
}

/** The different words of a question, in its order. Empty where it holds none. */
export function wordsOfQuery(query: string): readonly string[] {
  const counts = new Map<string, number>();
  countWords(query, counts);
  return [...counts.keys()].slice(0, MAX_QUERY_WORDS);
}

/** Names and words of a text as they are written in it, each once: no pieces. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.normalize('NFKC').match(NAME))].filter(
    (name) => name.length > 2 && name.length <= MAX_WORD_CHARS && !name.match(UNSPACED),
  );
}

function countWords(text: string, counts: Map<string, number>): void {
  if (text.length > SEARCHED_HEAD_CHARS + SEARCHED_TAIL_CHARS) {
    countWords(text.slice(0, SEARCHED_HEAD_CHARS), counts);
    countWords(text.slice(-SEARCHED_TAIL_CHARS), counts);
    return;
  }
  // Most text: no need to ask what its characters are.
  if (ASCII.test(text)) {
    for (const name of text.match(ASCII_NAME) ?? []) countName(name, counts);
    return;
  }
  for (const name of text.normalize('NFKC').match(NAME) ?? []) {
    const unspaced = name.match(UNSPACED);
    if (unspaced) for (const run of unspaced) countPairs(run, counts);
    const spaced = unspaced ? name.replace(UNSPACED, ' ').split(' ') : [name];
    for (const word of spaced) countName(word, counts);
  }
}

/** The whole and its pieces, each once. */
function countName(name: string, counts: Map<string, number>): void {
  if (PLAIN_WORD.test(name)) return countWord(name, counts);
  const pieces = name.split(JOINT).flatMap((piece) => (piece ? piece.split(HUMP) : []));
  if (pieces.length > 1) countWord(name, counts);
  for (const piece of pieces) countWord(piece, counts);
}

function countPairs(run: string, counts: Map<string, number>): void {
  const characters = [...run];
  if (characters.length === 1) countWord(run, counts);
  for (let i = 1; i < characters.length; i++) countWord(characters[i - 1]! + characters[i]!, counts);
}

function countWord(word: string, counts: Map<string, number>): void {
  if (word.length > MAX_WORD_CHARS) return;
  const folded = word.toLowerCase();
  const count = counts.get(folded);
  if (count === undefined && counts.size >= MAX_WORDS) return;
  counts.set(folded, (count ?? 0) + 1);
}
