import type { Steps } from '../transcript/index.js';

/** Longest that one piece of work keeps all others of the process waiting, in milliseconds: ten of them are still no pause that anybody sees. */
const SLICE_MS = 10;

/** Who waits to go on. One of them does in each turn of the event loop, so that many together take no longer a slice than one. */
const waiting: (() => void)[] = [];

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Says when a loop has had its slice, and lets everybody else have theirs. */
export class Pace {
  #until = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.#until = performance.now() + SLICE_MS;
  }
}

/** Does work slice by slice; what fits into one is done when this returns. Rejects with what the work throws. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  return soon(steps);
}

/** The same, without a promise where it fits into one slice. */
export function soon<T>(steps: Steps<T>): T | Promise<T> {
  const pace = new Pace();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (pace.isOver) return pace.rest().then(() => soon(steps));
  }
}

/** Goes on with what was made: now where it is there, else when it is. */
export function after<T, R>(made: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  if (!(made instanceof Promise)) return goOn(made);
  return made.then((value) => goOn(value));
}

/** Takes items in one by one, each after what is to be done `before`, and waits until those of a slice are `settled`. */
export async function takeInSlices<T>(
  items: readonly T[],
  before: (item: T) => Steps<void>,
  take: (item: T) => void,
  settled: (items: readonly T[]) => Promise<void>,
): Promise<void> {
  const pace = new Pace();
  let from = 0;
  for (const [at, item] of items.entries()) {
    const steps = before(item);
    while (!steps.next().done) if (pace.isOver) await pace.rest();
    take(item);
    if (!pace.isOver) continue;
    await settled(items.slice(from, at + 1));
    from = at + 1;
    await pace.rest();
  }
  await settled(items.slice(from));
}
