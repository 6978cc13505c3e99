/** `node:async_hooks` where there is no Node: nobody can tell what is done within what. */
export class AsyncLocalStorage<T> {
  run<R>(_store: T, task: () => R): R {
    return task();
  }

  getStore(): T | undefined {
    return undefined;
  }
}

export default { AsyncLocalStorage };
