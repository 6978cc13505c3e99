import { setImmediate as turn } from 'node:timers/promises';
import { createSpillway, type Session } from '../../src/index.js';
import { longSession } from '../support/long-session.js';
import { cpuSince, round } from './figures.js';

/** Tokens of the session, by the heuristic counter, whose own time is negligible: four characters are one token. */
const TOKENS = 200_000;
const INPUT_BUDGET = 32_000;

/**
 * The longest processor time between two turns of the event loop during `work`. Wall time would include the work of
 * other processes.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const watch = (async () => {
    while (!isDone) {
      const cpu = process.cpuUsage();
      await turn();
      longest = Math.max(longest, cpuSince(cpu));
    }
  })();
  await turn();
  await work().finally(() => (isDone = true));
  await watch;
  return round(longest, 1);
}

/** How long each operation on a store blocks the event loop, with a session of 200,000 tokens. */
export async function blocks(url: string): Promise<Record<string, unknown>> {
  const engine = await createSpillway({
    inputBudget: INPUT_BUDGET,
    settings: { counter: 'heuristic' },
    store: url,
  });
  const session = await engine.open({ id: 'blocks' });
  let tokens = 0;
  let messages = 0;
  const worst = { append: 0, prepare: 0 };
  for (const message of longSession(1_000_000)) {
    const append = await longestBlock(() => session.append(message));
    tokens += session.log.at(session.log.length - 1).size.tokens;
    messages++;
    const prepare = message.role === 'tool' ? await longestBlock(() => session.prepare()) : 0;
    // Code is compiled during the first half.
    if (tokens > TOKENS / 2) {
      worst.append = Math.max(worst.append, append);
      worst.prepare = Math.max(worst.prepare, prepare);
    }
    if (tokens > TOKENS) break;
  }
  const again = await createSpillway({
    inputBudget: INPUT_BUDGET,
    settings: { counter: 'heuristic' },
    store: url,
  });
  let reopened: Session | undefined;
  const found: Record<string, unknown> = {
    tokens,
    messages,
    'append, worst': worst.append,
    'prepare with its commit, worst': worst.prepare,
    open: await longestBlock(async () => (reopened = await again.open({ id: 'blocks' }))),
    'load the rest': await longestBlock(() => reopened!.load()),
    recall: await longestBlock(() => session.recall({ query: 'ledger cursor' })),
    undo: await longestBlock(() => session.operator.undo()),
    close: await longestBlock(() => engine.close()),
    goalMs: 50,
  };
  await again.close();
  return found;
}
