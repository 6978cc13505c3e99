import { TaskQueue } from '../../../src/pressure/index.js';

it('a task queue runs two tasks at a time and the others after them in order, also if one throws', async () => {
  const queue = new TaskQueue(2);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const asked = [0, 1, 2, 3].map((one) =>
    queue.do(async () => {
      began.push(one);
      await new Promise<void>((end) => (ends[one] = end));
      if (one === 1) throw new Error('no');
      return one;
    }),
  );
  await new Promise(setImmediate);
  expect(began).toEqual([0, 1]);
  ends[1]!();
  await expect(asked[1]).rejects.toThrow('no');
  await new Promise(setImmediate);
  expect(began).toEqual([0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await Promise.all([asked[0], asked[2]]);
  await new Promise(setImmediate);
  ends[3]!();
  expect(await Promise.all([asked[0], asked[2], asked[3]])).toEqual([0, 2, 3]);
});
