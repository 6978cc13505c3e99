import type { Prepared } from './prepared.js';
import type { Recalled } from './recall/index.js';
import type { SessionParts } from './session-parts.js';

type Parts = Pick<SessionParts, 'stream' | 'timer'>;

/** Tells the engine's listeners of a request that was written, begun at that reading of the timer. */
export function tellPrepared({ stream, timer }: Parts, started: number, prepared: Prepared): Prepared {
  const { call, reading, unchangedPrefixTokens, run } = prepared;
  const { tokens, pressure } = reading;
  const durationMs = timer() - started;
  stream.tellEngine({
    kind: 'prepared',
    call,
    tokens,
    pressure,
    unchangedPrefixTokens,
    run: run.kind,
    durationMs,
  });
  return prepared;
}

/** Tells the engine's listeners that somebody read back what was said, once it was found. */
export async function tellRecalled(
  { stream, timer }: Parts,
  finding: Promise<readonly Recalled[]>,
): Promise<readonly Recalled[]> {
  const started = timer();
  const found = await finding;
  stream.tellEngine({ kind: 'recalled', pieces: found.length, durationMs: timer() - started });
  return found;
}
