import { concatMap, Subject } from 'rxjs';

/** Does one thing after the other, in the order they were asked for; each begins in a microtask of its own. */
export class SerialQueue {
  readonly #tasks = new Subject<() => Promise<void>>();

  constructor() {
    this.#tasks.pipe(concatMap((task) => task())).subscribe();
  }

  /** Does this when all that was asked for before is done. What it throws goes to who asked, and the next one is done. */
  do<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.next(() => Promise.resolve().then(task).then(resolve, reject));
    });
  }

  /** Resolves when all that was asked for by now is done. */
  done(): Promise<void> {
    return this.do(() => undefined);
  }
}
