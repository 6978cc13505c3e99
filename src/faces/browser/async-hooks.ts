/** `node:async_hooks` without Node: a browser cannot track asynchronous contexts, so there is never a store. */
export class AsyncLocalStorage<T> {
  run<R>(_store: T, task: () => R): R {
    return task();
  }

  getStore(): T | undefined {
    return undefined;
  }
}

export default { AsyncLocalStorage };
