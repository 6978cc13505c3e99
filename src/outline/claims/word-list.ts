import type { Identifier } from '../../facts/index.js';
import type { ReadonlyLog } from '../../transcript/index.js';
import { placeOf } from './labels.js';
import { insert, placedOf, type Placed } from './placed.js';

/** A line of words is broken here, so that each stands near what says where it is from. */
const LINE_CHARS = 220;

/** Words that were seen last in one place. */
interface Group {
  readonly label: string;
  /** Log position. */
  readonly order: number;
  /** In the order in which they stood, also those that a longer word has taken the place of since. */
  readonly words: Placed[];
  /** Length of the list when the group began, and after it last changed. */
  readonly begun: number;
  changed: number;
  /** Of all its words, where they were asked for before. */
  lines: readonly string[] | undefined;
}

/**
 * The list of words with where each was seen: `label: word, word`. It grows word by word in the order in which they are
 * drawn, and is asked for at several sizes: a shorter list is the longer one before its last words came, so that no
 * word is placed twice.
 */
export class WordList {
  readonly #log: ReadonlyLog;
  readonly #draw: () => Identifier | undefined;
  /** By exchange for results, by message (below zero) for the rest. */
  readonly #groups = new Map<number, Group>();
  /** Last parts of the paths in the list. */
  readonly #baseNames = new Set<string>();
  /** By word, about how many characters it takes: none where a longer word of the list holds it. */
  readonly #taken: number[] = [];

  /** `draw` gives the next word to take in, undefined when there is none. */
  constructor(log: ReadonlyLog, draw: () => Identifier | undefined) {
    this.#log = log;
    this.#draw = draw;
  }

  /** The lines of as many words as it takes to fill so many characters. */
  linesOf(chars: number): string[] {
    const taken = this.#taken;
    let left = chars;
    let length = 0;
    while (left > 0) {
      if (length === taken.length) {
        const word = this.#draw();
        if (!word) break;
        taken.push(this.#place(word, length));
      }
      left -= taken[length]!;
      length++;
    }
    return [...this.#groups.values()]
      .filter(({ begun }) => begun < length)
      .sort((a, b) => a.order - b.order)
      .flatMap((group) => linesOf(group, length));
  }

  /** Takes in the word that is number `at` of the list. */
  #place(word: Identifier, at: number): number {
    const placed = placedOf(word, at);
    if (this.#baseNames.has(placed.text)) return 0;
    const key = word.source < 0 ? -1 - word.last : word.source;
    let group = this.#groups.get(key);
    let taken = placed.text.length + 1;
    if (group) {
      const freed = insert(group.words, placed);
      if (freed < 0) return 0;
      taken -= freed;
      group.changed = at + 1;
      group.lines = undefined;
    } else {
      const { label, order } = placeOf(word, this.#log);
      group = { label, order, words: [placed], begun: at, changed: at + 1, lines: undefined };
      this.#groups.set(key, group);
      taken += label.length + 2;
    }
    const slash = placed.text.lastIndexOf('/');
    if (slash >= 0) this.#baseNames.add(placed.text.slice(slash + 1));
    // The label stands in each line again.
    return taken * (1 + (group.label.length + 2) / LINE_CHARS);
  }
}

/** The lines of a group in a list of that length. */
function linesOf(group: Group, length: number): readonly string[] {
  if (length < group.changed) return write(group, length);
  return (group.lines ??= write(group, length));
}

/** `label: word, word`, broken where it gets long, with the label again. */
function write({ label, words }: Group, length: number): string[] {
  const lines: string[] = [];
  const said = words.length > 1 ? new Set<string>() : undefined;
  let line = `${label}:`;
  for (const { text, at, until } of words) {
    if (at >= length || until < length || said?.has(text)) continue;
    said?.add(text);
    if (line.length + text.length > LINE_CHARS && line.length > label.length + 1) {
      lines.push(line);
      line = `${label}:`;
    }
    line += ` ${text}`;
  }
  lines.push(line);
  return lines;
}
