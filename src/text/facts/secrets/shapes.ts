import { ASSIGNMENT_SHAPES } from './assignments.js';
import { CARD_SHAPES } from './cards.js';
import { KEY_SHAPES } from './keys.js';
import { PLACE_SHAPES } from './places.js';
import { PROSE_SHAPES } from './prose.js';
import type { Shape } from './shape.js';
import { TOKEN_SHAPES } from './tokens.js';

/** Shapes of common secrets, the widest first; at most 31, because each has one bit in the signs of a text. */
export const SHAPES: readonly Shape[] = [
  ...KEY_SHAPES,
  ...TOKEN_SHAPES,
  ...PLACE_SHAPES,
  ...ASSIGNMENT_SHAPES,
  ...PROSE_SHAPES,
  ...CARD_SHAPES,
];
