// Sessions that outlive the process: run it twice, and the second run continues where the first one ended.
// npx tsx examples/keep-sessions.ts
import { createSpillway } from 'spillway';

const spillway = await createSpillway({ store: 'sqlite:./spillway-example.db', inputBudget: 4_000 });
const session = await spillway.open({ id: 'mill' });
console.log(`${session.log.length} messages so far`);

for (let turn = 0; turn < 20; turn++) {
  const id = `turn-${session.log.length}`;
  await session.append({
    id,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text: `Question ${id}: ${'how does the mill turn in the river? '.repeat(12)}` }],
  });
  // Compacts if it is due; `call` also retries once if a provider refuses the request as too long.
  const answer = await session.call(async ({ messages, reading, run }) => {
    if (run.kind === 'committed') console.log(`compacted: ${run.reason}, now ${reading.tokens} tokens`);
    return `An answer to ${messages.length} messages.`; // call your model here
  });
  // The provider's usage report calibrates readings, and `spillway explain` and `costs` show the call.
  await session.observe({ inputTokens: session.reading.tokens, outputTokens: 10 });
  await session.append({
    id: `${id}-answer`,
    role: 'assistant',
    origin: 'model',
    parts: [{ type: 'text', text: answer }],
  });
}

await session.load();
for (const { id, plan } of session.operator.history)
  console.log(id, plan.before.tokens, '->', plan.after.tokens);
// Searches messages that left the request: turn-0 is pinned, so it is still in the request.
const found = await session.recall({ query: 'turn-4', limit: 1 });
console.log(
  'recall of turn-4 gives',
  found.map(({ handle }) => handle).join(', ') || 'nothing: it has not left yet',
);
await spillway.close();
