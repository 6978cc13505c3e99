/** Another process that compacts a recorded session to each of the budgets: prints the resulting requests. */
import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway } from '../../src/index.js';

const [file, ...budgets] = process.argv.slice(2) as [string, ...string[]];
const { parsed } = await readSession(file);
const settings = { counter: 'heuristic', safetyMargin: 0 } as const;
for (const budget of budgets) {
  const session = (await createSpillway({ inputBudget: Number(budget), settings })).session();
  await session.append(...parsed.messages);
  console.log(JSON.stringify((await session.prepare()).messages));
}
