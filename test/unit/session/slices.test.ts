import { inSlices } from '../../../src/session/index.js';
import { atOnce, type Steps } from '../../../src/transcript/index.js';

/** Goes on until others have had their turn; a pause that never comes is told after five seconds. */
function* until(isDone: () => boolean): Steps<string> {
  for (const last = performance.now() + 5_000; !isDone();) {
    if (performance.now() > last) throw new Error('no pause came');
    yield;
  }
  return 'done';
}

describe('work in slices', () => {
  it('lets timers and other work in slices run in between', async () => {
    const heard = { timer: false, one: 0, other: 0 };
    setTimeout(() => (heard.timer = true), 1);
    const work = Promise.all([
      inSlices(until(() => ++heard.one > 0 && heard.timer && heard.other > 0)),
      inSlices(until(() => ++heard.other > 0 && heard.timer && heard.one > 0)),
    ]);
    await expect(work).resolves.toEqual(['done', 'done']);
  });

  it('is done at once if it is short, and rejects with the error that the work throws', async () => {
    const steps: number[] = [];
    function* short(): Steps<number> {
      steps.push(1);
      yield;
      return steps.push(2);
    }
    const given = inSlices(short());
    expect(steps).toEqual([1, 2]);
    expect([await given, atOnce(short())]).toEqual([2, 4]);
    function* failing(): Steps<never> {
      yield;
      throw new Error('no');
    }
    await expect(inSlices(failing())).rejects.toThrow('no');
  });
});
