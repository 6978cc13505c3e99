import { createSpillway } from '../../src/index.js';
import type { Growth } from './growth.js';
import { PUMPS } from './pumps.js';

type Chat = Readonly<Record<string, unknown>>;

const call = (id: string, name: string, args: string): Chat => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
});
const step = (name: string, args: string, result: string): readonly Chat[] => [
  call('p', name, args),
  { role: 'tool', tool_call_id: 'p', content: result },
];

/** The places of a session that may hold hostile text. */
const PLACES: Readonly<Record<string, (text: string) => readonly Chat[]>> = {
  user: (text) => [{ role: 'user', content: text }],
  assistant: (text) => [{ role: 'assistant', content: text }],
  result: (text) => step('bash', '{"command":"cat x"}', text),
  command: (text) => step('bash', JSON.stringify({ command: text }), 'done'),
  patch: (text) => step('apply_patch', JSON.stringify({ patch: text }), 'done'),
  write: (text) => step('write_file', JSON.stringify({ path: 'a.txt', content: text }), 'done'),
  arguments: (text) => step('bash', text, 'done'),
  plan: (text) => step('todo_write', JSON.stringify({ todos: text }), 'done'),
};

/** The time to append and prepare a session that compacts, in milliseconds. */
async function sessionMs(hostile: readonly Chat[]): Promise<number> {
  const spillway = await createSpillway({ inputBudget: 20_000 });
  const messages: Chat[] = [{ role: 'user', content: 'Build it. Never touch config.yml.' }, ...hostile];
  for (let i = 0; i < 12; i++)
    messages.push(
      call(`c${i}`, 'read', JSON.stringify({ path: `src/file${i}.ts` })),
      { role: 'tool', tool_call_id: `c${i}`, content: `line of file ${i}\n`.repeat(200) },
      { role: 'assistant', content: `Read file ${i}.` },
      { role: 'user', content: `Now continue with ${i}.` },
    );
  const session = spillway.session();
  const began = performance.now();
  await session.follow({ messages });
  // A floor over the budget throws an error after the same work.
  await session.prepare().catch(() => undefined);
  return performance.now() - began;
}

/** The growth of each place with each pump. */
export async function sessionGrowths(chars: number): Promise<Growth[]> {
  const rows: Growth[] = [];
  await sessionMs([]);
  for (const [place, messagesOf] of Object.entries(PLACES))
    for (const [name, pump] of Object.entries(PUMPS)) {
      const ms: number[] = [];
      for (const times of [1, 2, 4]) ms.push(await sessionMs(messagesOf(pump(times * chars))));
      rows.push({ what: `${place} of ${name}`, ms });
    }
  return rows;
}
