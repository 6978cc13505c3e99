/** An automaton row is this wide: so many kinds of characters can be told apart. A power of two. */
const WIDTH = 64;
/** Texts are read in pieces of this many characters. */
const PIECE_CHARS = 1 << 16;

/** Reading units from an array is faster than asking the string for each. */
const scratch = Buffer.alloc(2 * PIECE_CHARS);
const units = new Uint16Array(scratch.buffer, scratch.byteOffset, PIECE_CHARS);

/** One of the literals begins here. */
export type VisitLiteral = (start: number, literal: number) => void;

/**
 * Finds every place where one of many short ASCII literals begins, in one pass over the text, capitals or not: what a
 * regular expression of the same alternatives asks at each character, this asks once (Aho and Corasick, 1975). Other
 * letters that a `u` pattern takes for ASCII ones (`ſ`, `K`) are not.
 */
export class LiteralScan {
  readonly #literals: readonly string[];
  /** By UTF-16 unit: its column; 0 for characters of no literal. */
  readonly #columns = new Uint8Array(0x10000);
  /** By state and column: the next state. States are multiples of `WIDTH`; those that end a literal come last. */
  readonly #next: Uint16Array;
  readonly #firstEnd: number;
  /** By state from `firstEnd` on: literals that end in it. */
  readonly #ends: readonly (readonly number[])[];
  readonly #longest: number;

  /** In lowercase; at most 1,000 characters and 63 different ones in all. */
  constructor(literals: readonly string[]) {
    this.#literals = literals;
    this.#longest = Math.max(...literals.map(({ length }) => length));
    const columns = columnsOf(literals);
    for (const [letter, column] of columns) {
      this.#columns[letter.charCodeAt(0)] = column;
      this.#columns[letter.toUpperCase().charCodeAt(0)] = column;
    }
    const { next, ends } = automatonOf(literals, columns);
    const order = [...ends.keys()].sort((a, b) => Number(ends[a]!.length > 0) - Number(ends[b]!.length > 0));
    const place = new Map(order.map((state, i) => [state, i * WIDTH]));
    this.#next = Uint16Array.from(order.flatMap((state) => next[state]!.map((to) => place.get(to)!)));
    this.#ends = order.map((state) => ends[state]!).filter((ended) => ended.length > 0);
    this.#firstEnd = (order.length - this.#ends.length) * WIDTH;
  }

  scan(text: string, visit: VisitLiteral): void {
    // Pieces overlap, so that each literal stands whole in one of them; in two it is told twice.
    const step = PIECE_CHARS - this.#longest;
    for (let from = 0; ; from += step) {
      const piece = text.length <= PIECE_CHARS ? text : text.slice(from, from + PIECE_CHARS);
      this.#scanPiece(piece, from, visit);
      if (from + PIECE_CHARS >= text.length) return;
    }
  }

  #scanPiece(piece: string, from: number, visit: VisitLiteral): void {
    const columns = this.#columns;
    const next = this.#next;
    const firstEnd = this.#firstEnd;
    const { length } = piece;
    scratch.write(piece, 0, 'utf16le');
    let state = 0;
    for (let i = 0; i < length; i++) {
      state = next[state | columns[units[i]!]!]!;
      if (state < firstEnd) continue;
      for (const literal of this.#ends[(state - firstEnd) / WIDTH]!)
        visit(from + i + 1 - this.#literals[literal]!.length, literal);
    }
  }
}

function columnsOf(literals: readonly string[]): Map<string, number> {
  const letters = [...new Set(literals.join(''))];
  return new Map(letters.map((letter, i) => [letter, i + 1]));
}

interface Automaton {
  /** By state, by column. */
  readonly next: readonly (readonly number[])[];
  /** By state: literals that end in it, those that end inside a longer one included. */
  readonly ends: readonly (readonly number[])[];
}

function automatonOf(literals: readonly string[], columns: ReadonlyMap<string, number>): Automaton {
  const next: number[][] = [];
  const ends: number[][] = [];
  const add = (): number => {
    ends.push([]);
    return next.push(Array.from({ length: WIDTH }, () => 0)) - 1;
  };
  add();
  literals.forEach((literal, index) => {
    let state = 0;
    for (const letter of literal) {
      const column = columns.get(letter)!;
      state = next[state]![column] ||= add();
    }
    ends[state]!.push(index);
  });
  // Breadth first: where a row says nothing, the row of the longest ending that is a beginning says it.
  const fallback = next.map(() => 0);
  const queue = next[0]!.filter((state) => state > 0);
  for (const state of queue) {
    const row = next[state]!;
    const back = fallback[state]!;
    ends[state]!.push(...ends[back]!);
    row.forEach((to, column) => {
      if (to === 0) row[column] = next[back]![column]!;
      else {
        fallback[to] = next[back]![column]!;
        queue.push(to);
      }
    });
  }
  return { next, ends };
}
