/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does such work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
