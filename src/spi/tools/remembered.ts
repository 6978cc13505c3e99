import { WeakCache } from '../../transcript/index.js';

/** What a text is made from, beside the part it is made of: plain values, compared one by one. */
type Ask = Readonly<Record<string, unknown>>;

/**
 * The same function, which remembers of each part what it was asked last and what it said: a part that is not taken is
 * offered again in the next run. Parts never change, and what is remembered goes with them.
 */
export function remembered<P extends object, T>(make: (part: P) => T): (part: P) => T;
export function remembered<P extends object, A extends Ask, T>(
  make: (part: P, ask: A) => T,
): (part: P, ask: A) => T;
export function remembered<P extends object, A extends Ask, T>(make: (part: P, ask: A) => T) {
  const known = new WeakCache<P, { readonly ask: A; readonly made: T }>();
  return (part: P, ask: A): T => {
    const before = known.get(part);
    if (before && isSame(before.ask, ask)) return before.made;
    const made = make(part, ask);
    known.set(part, { ask, made });
    return made;
  };
}

function isSame(a: Ask, b: Ask): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}
