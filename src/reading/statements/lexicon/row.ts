/**
 * The words by which people set bounds, a row a language. A sentence binds by its grammar: an order not to, an order
 * that holds for all time, a must, an only, a limit. What merely describes (“the build always fails”) does not.
 * A language without a row sets no bounds here; its users' words still stand in the digest.
 */
export interface BoundWords {
  readonly language: string;
  /** Tested against a sentence or a clause of it, at its beginning alone: sticky. */
  readonly opens?: RegExp;
  /** Tested anywhere in a sentence. */
  readonly holds?: RegExp;
  /** Letters or words without which the row matches nothing: asked first, since the others are slow. */
  readonly needs?: RegExp;
  /** A sentence that it matches tells of something, asks for it or has a fault mended: the row sets no bound there. */
  readonly tells?: RegExp;
}

/** Forms at the beginning of a clause, each up to the end of a word. */
export function opening(...forms: readonly string[]): RegExp {
  return new RegExp(`(?:${forms.join('|')})(?![\\p{L}\\p{M}])`, 'iuy');
}

/** Forms anywhere, between the ends of words. */
export function anywhere(...forms: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${forms.join('|')})(?![\\p{L}\\p{M}])`, 'iu');
}
