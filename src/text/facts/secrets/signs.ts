import type { Steps } from '../../../transcript/index.js';
import { SHAPES } from './shapes.js';

/** The same pattern, asked of one place. */
const placed = SHAPES.map(({ pattern }) => new RegExp(pattern.source, pattern.flags.replace('g', 'y')));
/** Those that begin alike stand together, which is twice as fast, the longer one first: what it begins with is found with it. */
const literals = [...new Set(SHAPES.flatMap(({ begins }) => begins))].sort().reverse();
/** By literal: places in `SHAPES` of what may begin where it stands. */
const shapesOf = new Map(
  literals.map((literal) => [
    literal,
    SHAPES.flatMap(({ begins }, shape) => (begins.some((begin) => literal.startsWith(begin)) ? [shape] : [])),
  ]),
);
const BEGINS = new RegExp(
  literals.map((literal) => literal.replace(/[?.\\|+*()[\]]/g, '\\$&')).join('|'),
  'gi',
);

/** Places that are looked at between two pauses. */
const AT_ONCE = 2_048;

/**
 * Which of `SHAPES` a text holds, a bit each, by their place in the list. Most texts hold none, so the beginnings of all
 * are looked for at once; where one may begin its pattern is asked there and nowhere else.
 */
export function* signsIn(text: string): Steps<number> {
  let signs = 0;
  let looked = 0;
  let next = 0;
  for (;;) {
    // Another text may have been looked at meanwhile.
    BEGINS.lastIndex = next;
    const found = BEGINS.exec(text);
    if (!found) return signs;
    const start = found.index;
    // Another may begin inside it.
    next = start + 1;
    for (const shape of shapesOf.get(found[0].toLowerCase())!) {
      if ((signs & (1 << shape)) !== 0 || SHAPES[shape]!.fails?.(text, start)) continue;
      const pattern = placed[shape]!;
      pattern.lastIndex = start;
      if (pattern.test(text)) signs |= 1 << shape;
    }
    if (++looked % AT_ONCE === 0) yield;
  }
}
