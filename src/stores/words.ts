import { isRecallAnswer, isRecallCall, textOf, type Message } from '../transcript/index.js';

/** How often each word stands in a text. Words hold letters, digits and `_./:@-`, nothing else. */
export type WordCounts = ReadonlyMap<string, number>;

/** Of a longer text only its head and its tail can be searched: what is longer is a dump, and an index of it a second one. */
const SEARCHED_HEAD_CHARS = 1_000_000;
const SEARCHED_TAIL_CHARS = 200_000;
/** PostgreSQL takes a megabyte of words a message, their places included. */
const MAX_WORDS = 20_000;
/** Longer ones are encoded bytes: nobody asks for them by name. */
const MAX_WORD_CHARS = 64;
/** Words of a question beyond this one change the order of the answers no more. */
const MAX_QUERY_WORDS = 128;

/** A name with its joints: `src/load_all.ts`, `a-b`, `fooBar`. */
const NAME = /[\p{L}\p{N}\p{M}_]+(?:[-./:@][\p{L}\p{N}\p{M}_]+)*/gu;
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_NAME = /[a-z\d_]+(?:[-./:@][a-z\d_]+)*/gi;
/** White space in JSON text. */
const ESCAPED = /\\[nrtbf]/g;
/** Neither joints nor humps. */
const PLAIN_WORD = /^(?:[a-z\d]+|[A-Z\d]+)$/;
const JOINT = /[-./:@_]+/u;
/** `parseConfig` is asked for as one word and as two. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
/** Written without spaces: the words are in pairs of characters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;

/**
 * The words a message is found by: what was said, called and answered, and names of files. Not what the recall tool was
 * asked and what it answered: that is a quotation, and would be found before what it quotes.
 */
export function wordsOfMessage(message: Message): WordCounts {
  const counts = new Map<string, number>();
  for (const part of message.parts) {
    if (isRecallCall(part) || isRecallAnswer(part)) continue;
    if (part.type === 'tool-call') countWords(`${part.name} ${spokenArguments(part.arguments)}`, counts);
    else if (part.type === 'file') countWords(part.name ?? '', counts);
    else countWords(textOf(part), counts);
  }
  return counts;
}

/** How often each word stands in a text, by the words that messages are found by. */
export function wordsOfText(text: string): WordCounts {
  const counts = new Map<string, number>();
  countWords(text, counts);
  return counts;
}

/** In JSON text a word at the beginning of a line follows `\\n`, and would be found as `nword`. */
function spokenArguments(written: string): string {
  return written.includes('\\') ? written.replace(ESCAPED, ' ') : written;
}

/** The different words of a question, in its order. Empty where it holds none. */
export function wordsOfQuery(query: string): readonly string[] {
  const counts = new Map<string, number>();
  countWords(query, counts);
  return [...counts.keys()].slice(0, MAX_QUERY_WORDS);
}

function countWords(text: string, counts: Map<string, number>): void {
  if (text.length > SEARCHED_HEAD_CHARS + SEARCHED_TAIL_CHARS) {
    countWords(text.slice(0, SEARCHED_HEAD_CHARS), counts);
    countWords(text.slice(-SEARCHED_TAIL_CHARS), counts);
    return;
  }
  // Most text: no need to ask what its characters are.
  if (ASCII.test(text)) {
    for (const [name] of text.matchAll(ASCII_NAME)) countName(name, counts);
    return;
  }
  for (const [name] of text.normalize('NFKC').matchAll(NAME)) {
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
