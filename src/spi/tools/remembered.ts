import { WeakCache } from '../../transcript/index.js';

/** Inputs of a text in addition to its part: plain values, compared one by one. */
type Inputs = Readonly<Record<string, unknown>>;

/**
 * The same function with a memory of its last arguments and result for each part, because a part that is not edited is
 * offered again in the next run. Parts never change, and the memory is freed with them.
 */
export function remembered<P extends object, T>(make: (part: P) => T): (part: P) => T;
export function remembered<P extends object, A extends Inputs, T>(
  make: (part: P, ask: A) => T,
): (part: P, ask: A) => T;
export function remembered<P extends object, A extends Inputs, T>(make: (part: P, ask: A) => T) {
  const known = new WeakCache<P, { readonly ask: A; readonly made: T }>();
  return (part: P, ask: A): T => {
    const before = known.get(part);
    if (before && isSame(before.ask, ask)) return before.made;
    const made = make(part, ask);
    known.set(part, { ask, made });
    return made;
  };
}

function isSame(a: Inputs, b: Inputs): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}
