/** Another process that compacts a recorded session: prints the request as it would be sent. */
import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway } from '../../src/index.js';

const [file, budget] = process.argv.slice(2) as [string, string];
const { parsed } = await readSession(file);
const settings = { counter: 'heuristic', safetyMargin: 0 } as const;
const session = (await createSpillway({ inputBudget: Number(budget), settings })).session();
await session.append(...parsed.messages);
console.log(JSON.stringify((await session.prepare()).messages));
