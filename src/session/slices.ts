import type { Steps } from '../transcript/index.js';

/** Longest time that one task may block the process, in milliseconds. Even ten such slices are no visible pause. */
const SLICE_MS = 10;

/** Tasks that wait to go on. One goes on per turn of the event loop, so that many block it no longer than one. */
const waiting: (() => void)[] = [];

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** Tells a loop when its slice is over, and lets other tasks run. */
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

/** Does work slice by slice. Work that fits into one slice is done on return. Rejects with the error of the work. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  return runInSlices(steps);
}

/** Like `inSlices`, but returns no promise if the work fits into one slice. */
export function runInSlices<T>(steps: Steps<T>): T | Promise<T> {
  const pace = new Pace();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (pace.isOver) return pace.rest().then(() => runInSlices(steps));
  }
}

/** Passes a value to `use`: at once, or when its promise resolves. */
export function whenReady<T, R>(made: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  if (!(made instanceof Promise)) return use(made);
  return made.then((value) => use(value));
}

/** Takes items one by one, each after its work in `before`. After each slice, waits until its items are `settled`. */
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
