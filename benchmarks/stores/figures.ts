/** Figures of this folder. */
export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Milliseconds that `work` takes, waiting included. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
