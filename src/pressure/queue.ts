import { mergeMap, Subject } from 'rxjs';

/** Does so many things at a time, in the order they were asked for; each begins in a microtask of its own. */
export class TaskQueue {
  readonly #tasks = new Subject<() => Promise<void>>();

  constructor(atOnce = 1) {
    this.#tasks.pipe(mergeMap((task) => task(), atOnce)).subscribe();
  }

  /** Does this when it is its turn. What it throws goes to who asked, and the next one is done. */
  do<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.next(() => Promise.resolve().then(task).then(resolve, reject));
    });
  }

  /** Resolves when all that was asked for by now is done, of a queue that does one thing at a time. */
  done(): Promise<void> {
    return this.do(() => undefined);
  }
}
