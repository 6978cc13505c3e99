/** One process of `memory.ts`: works a number of sessions in turn, and prints the memory that they take. */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSpillway, type Session } from '../../src/index.js';
import { longSession } from '../support/long-session.js';

interface Task {
  readonly sessions: number;
  readonly messages: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Bytes of the heap (strings and objects) and outside it. */
const held = (): number => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const { sessions: count, messages } = JSON.parse(process.argv[2]!) as Task;
const engine = await createSpillway({ inputBudget: 32_000, settings: { counter: 'heuristic' } });
const sessions: Session[] = [];
let chars = 0;
let commits = 0;
const before = held();
for (let i = 0; i < count; i++) {
  const session = engine.session();
  for (const message of longSession(messages)) {
    // Each session gets its own copies of the texts, as from a wire.
    const own = JSON.parse(JSON.stringify(message)) as typeof message;
    chars += JSON.stringify(own.parts).length;
    await session.append(own);
    if (own.role === 'tool' && (await session.prepare()).run.kind === 'committed') commits++;
  }
  sessions.push(session);
  await turn();
}
// The background packing of the sessions is finished by then.
await pause(500);
const bytes = held() - before;
const all = sessions.reduce((sum, { log }) => sum + log.length, 0);
console.log(JSON.stringify({ messages: all, commits, bytes, chars }));
