/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** What is made at once, or in steps. */
export type Made<T> = T | Steps<T>;

/** Steps to what is made, where there is any. */
export function* madeIn<T>(made: Made<T>): Steps<T> {
  return isSteps(made) ? yield* made : made;
}

const isSteps = <T>(made: Made<T>): made is Steps<T> =>
  typeof made === 'object' && made !== null && Symbol.iterator in made && 'next' in made;

/** Does such work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
