import { mergeMap, Subject } from 'rxjs';

/** Runs up to `atOnce` tasks at a time, in the order of their requests; each begins in its own microtask. */
export class TaskQueue {
  readonly #tasks = new Subject<() => Promise<void>>();

  constructor(atOnce = 1) {
    this.#tasks.pipe(mergeMap((task) => task(), atOnce)).subscribe();
  }

  /** Runs a task when its turn comes. Its exception goes to the caller, and the queue continues. */
  do<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.next(() => Promise.resolve().then(task).then(resolve, reject));
    });
  }

  /** Resolves when all earlier tasks are done, in a queue that runs one task at a time. */
  done(): Promise<void> {
    return this.do(() => undefined);
  }
}
