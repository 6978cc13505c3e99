/** The same clock; where it gives no time (a broken or mocked one), the last that it gave. No store takes what is no number. */
export function steadyClock(clock: () => number): () => number {
  let last = 0;
  return () => {
    const now = clock();
    return (last = Number.isFinite(now) ? now : last);
  };
}
