import { jest } from '@jest/globals';

/**
 * Turns of the event loop that others have until work is done, however fast the machine is: while it lasts, each
 * look at the clock is a millisecond after the last, so that slices are so many steps long.
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
