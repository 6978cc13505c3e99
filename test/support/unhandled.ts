/** Unhandled rejections during `work` and until two turns of the event loop after it. */
export async function unhandledDuring(work: () => unknown): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  return unhandled;
}
