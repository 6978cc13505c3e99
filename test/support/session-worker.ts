/** Another process on the same session: appends and prepares `count` times, and prints the number of compactions. */
import { createSpillway } from '../../src/index.js';

const [store, writer, count] = process.argv.slice(2) as [string, string, string];
const spillway = await createSpillway({ store, inputBudget: 4_000, settings: { counter: 'heuristic' } });
const session = await spillway.open({ id: 's' });
let compacted = 0;
for (let i = 0; i < Number(count); i++) {
  const text = `${writer}, ${i}: ${'the river runs past an old mill. '.repeat(20)}`;
  const parts = [{ type: 'text', text }] as const;
  await session.append({ id: `${writer}.${i}`, role: 'assistant', origin: 'model', parts });
  if ((await session.prepare()).run.kind === 'committed') compacted++;
}
await spillway.close();
console.log(compacted);
