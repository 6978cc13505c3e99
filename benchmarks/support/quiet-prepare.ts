import { createSpillway } from '../../src/index.js';
import type { BenchSession } from './sessions.js';
import { cpuNow } from './tokenizer.js';

const PASSES = 200;

/**
 * The cost of a prepare that has nothing to do, in microseconds of processor time. It is repeated for all sessions that
 * can fill between 0.6 and 0.8 of the window. The result is the median of the rounds, after one round for the compiler.
 */
export async function quietPrepare(
  sessions: readonly BenchSession[],
  window: number,
  rounds: number,
): Promise<{ readonly cpuUs: number; readonly sessions: number; readonly messages: number }> {
  const spillway = await createSpillway({ inputBudget: window });
  const open = sessions.flatMap(({ messages }) => {
    const session = spillway.session();
    for (const message of messages) if (session.reading.pressure < 0.7) void session.append(message);
    const { pressure } = session.reading;
    return pressure > 0.6 && pressure < 0.8 ? [session] : [];
  });
  const each: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const started = cpuNow();
    for (let pass = 0; pass < PASSES; pass++) for (const session of open) await session.prepare();
    if (round > 0) each.push(((cpuNow() - started) * 1_000) / (PASSES * open.length));
  }
  const median = each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)]!;
  const messages = open.reduce((sum, { view }) => sum + view.length, 0) / open.length;
  return {
    cpuUs: Math.round(median * 10) / 10,
    sessions: open.length,
    messages: Math.round(messages),
  };
}
