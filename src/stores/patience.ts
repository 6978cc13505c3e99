/** How long a call waits for another process that blocks it before it gives up. */
export const PATIENCE_MS = 10_000;
const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 40;

/** Tries again while `isTransient`, without blocking the process, out of step with the process it waits for. */
export async function retryWhile<T>(
  work: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  patienceMs: number,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
  }
}
