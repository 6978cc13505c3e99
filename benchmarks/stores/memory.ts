import { inProcesses } from '../support/processes.js';
import { round } from './figures.js';

interface Held {
  readonly messages: number;
  readonly commits: number;
  readonly bytes: number;
  readonly chars: number;
}

/** The memory of sessions in bytes a message: one long session, and 200 open at once. */
export async function memory(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [sessions, messages] of [
    [1, 4_000],
    [200, 150],
  ] as const) {
    const [held] = await inProcesses<Held>('benchmarks/stores/memory-worker.ts', [{ sessions, messages }]);
    const { bytes, commits, chars } = held!;
    found[`${sessions} session${sessions > 1 ? 's' : ''} of ${messages} messages`] = {
      commits,
      bytesAMessage: Math.round(bytes / held!.messages),
      charsAMessage: Math.round(chars / held!.messages),
      megabytes: round(bytes / 1_000_000, 1),
    };
  }
  return found;
}
