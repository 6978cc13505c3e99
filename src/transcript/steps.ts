/** Work that may be interrupted at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** A result, or the steps that make it. */
export type Made<T> = T | Steps<T>;

/** Runs the steps if there are any, and returns the result. */
export function* madeIn<T>(made: Made<T>): Steps<T> {
  return isSteps(made) ? yield* made : made;
}

const isSteps = <T>(made: Made<T>): made is Steps<T> =>
  typeof made === 'object' && made !== null && Symbol.iterator in made && 'next' in made;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
