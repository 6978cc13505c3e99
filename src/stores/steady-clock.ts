/** The same clock; if it returns no finite number (when broken or mocked), its last one. Stores accept only numbers. */
export function steadyClock(clock: () => number): () => number {
  let last = 0;
  return () => {
    const now = clock();
    return (last = Number.isFinite(now) ? now : last);
  };
}
