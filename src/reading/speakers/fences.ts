/** A line of a text, by its positions; `to` is behind its last character, the line break not counted. */
export interface Line {
  readonly from: number;
  readonly to: number;
}

/** The lines of a stretch of a text. */
export function linesOf(text: string, from: number, end: number): Line[] {
  const lines: Line[] = [];
  for (let at = from; at <= end;) {
    const newline = text.indexOf('\n', at);
    const to = newline < 0 || newline > end ? end : newline;
    lines.push({ from: at, to });
    at = to + 1;
  }
  return lines;
}

const FENCE = /^[ \t]{0,8}(`{3,8}|~{3,8})(.*)$/;
/** Of a line: a longer one is no fence. */
const FENCE_CHARS = 120;

/** By the index of the line that opens a code fence, the index of the line that closes it. One never closed is none. */
export function fencesOf(text: string, lines: readonly Line[]): ReadonlyMap<number, number> {
  const marks = lines.flatMap((line, index): Mark[] => {
    const found = line.to - line.from > FENCE_CHARS ? undefined : FENCE.exec(text.slice(line.from, line.to));
    return found ? [{ index, mark: found[1]!, info: found[2]!.trim() }] : [];
  });
  const closings = new Closings(marks);
  const fences = new Map<number, number>();
  let until = -1;
  marks.forEach((mark, place) => {
    if (mark.index <= until) return;
    const closing = closings.of(mark, place);
    if (closing === undefined) return;
    fences.set(mark.index, closing);
    until = closing;
  });
  return fences;
}

interface Mark {
  /** Of its line. */
  readonly index: number;
  readonly mark: string;
  /** What stands behind it; nothing behind one that closes. */
  readonly info: string;
}

const MARKDOWN = /^(?:md|mdx|markdown)\b/i;

/** Which mark closes which. Asked in the order of the text, all answers together walk it twice. */
class Closings {
  readonly #marks: readonly Mark[];
  /** By mark: the lines that hold it alone, and how many of them are passed. */
  readonly #bare = new Map<string, { readonly at: number[]; passed: number }>();
  /** One that was sought to the end in vain is not sought again. */
  #mayNest = true;

  constructor(marks: readonly Mark[]) {
    this.#marks = marks;
    for (const { index, mark, info } of marks) {
      if (info !== '') continue;
      const places = this.#bare.get(mark);
      if (places) places.at.push(index);
      else this.#bare.set(mark, { at: [index], passed: 0 });
    }
  }

  of(opening: Mark, place: number): number | undefined {
    return this.#nested(opening, place) ?? this.#next(opening);
  }

  #next({ index, mark }: Mark): number | undefined {
    const places = this.#bare.get(mark);
    if (!places) return undefined;
    while (places.passed < places.at.length && places.at[places.passed]! <= index) places.passed += 1;
    return places.at[places.passed];
  }

  /** Markdown in a fence holds fences of its own. */
  #nested({ mark, info }: Mark, place: number): number | undefined {
    if (!this.#mayNest || !MARKDOWN.test(info)) return undefined;
    let depth = 1;
    for (let next = place + 1; next < this.#marks.length; next += 1) {
      const one = this.#marks[next]!;
      if (one.mark !== mark) continue;
      depth += one.info === '' ? -1 : 1;
      if (depth === 0) return one.index;
    }
    this.#mayNest = false;
    return undefined;
  }
}
