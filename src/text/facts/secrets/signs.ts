import { LiteralScan } from './literal-scan.js';
import { SHAPES } from './shapes.js';

/** The same pattern, asked of one place. */
const placed = SHAPES.map(({ pattern }) => new RegExp(pattern.source, pattern.flags.replace('g', 'y')));
const literals = [...new Set(SHAPES.flatMap(({ begins }) => begins))];
/** By literal: places in `SHAPES`. */
const shapesOf = literals.map((literal) =>
  SHAPES.flatMap(({ begins }, shape) => (begins.includes(literal) ? [shape] : [])),
);
/** Made when first asked: a process that only looks at its arguments needs none. */
let scan: LiteralScan | undefined;

/**
 * Which of `SHAPES` a text holds, a bit each, by their place in the list. Most texts hold none, so all are looked for
 * at once; where one may begin its pattern is asked there and nowhere else.
 */
export function signsIn(text: string): number {
  let signs = 0;
  scan ??= new LiteralScan(literals);
  scan.scan(text, (start, literal) => {
    for (const shape of shapesOf[literal]!) {
      if ((signs & (1 << shape)) !== 0 || SHAPES[shape]!.fails?.(text, start)) continue;
      const pattern = placed[shape]!;
      pattern.lastIndex = start;
      if (pattern.test(text)) signs |= 1 << shape;
    }
  });
  return signs;
}
