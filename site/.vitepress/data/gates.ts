// What the first page draws: the recorded session of `npm start` replayed inside the same budget, call by call, with what each gate
// did. Nothing of it is written by hand: `npm run site` makes it anew, so it is what this very checkout does.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSpillway } from 'spillway';
import { readSession } from 'spillway/importers';
import { DEMO_WINDOW } from '../../../src/faces/cli/commands/demo.js';
import { root } from '../repository.js';
import { callsOf, gatesOf } from './replayed.js';
import type { Call, ReplayedGates } from './shapes.js';

const { parsed } = await readSession(join(root, 'examples', 'sessions', 'pressure-gauge.jsonl'));
const spillway = await createSpillway({ store: null, inputBudget: DEMO_WINDOW });
const calls: Call[] = [];
for await (const call of callsOf(spillway.session(), parsed.messages)) calls.push(call);

const replayed: ReplayedGates = { budget: DEMO_WINDOW, gates: gatesOf(spillway), calls };
const folder = join(root, 'site', '.vitepress', 'generated');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'gates.json'), JSON.stringify(replayed));
await spillway.close();
