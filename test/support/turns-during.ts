import { jest } from '@jest/globals';

/**
 * The number of event loop turns during `work`, independent of the machine's speed: each reading of the clock is one
 * millisecond after the last, so that a slice has a fixed number of steps.
 */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let looks = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => ++looks);
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => (isOver = true));
  clock.mockRestore();
  return turns;
}
