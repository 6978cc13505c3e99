// What the first page draws: the recorded session of `npm start` replayed inside the same budget, call by call, with what each gate
// did. Nothing of it is written by hand: `npm run site` makes it anew, so it is what this very checkout does.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_WINDOW } from '../../../src/faces/cli/commands/demo.js';
import { readSession } from '../../../src/faces/importers/index.js';
import { createSpillway, replaySession } from '../../../src/index.js';
import { root } from '../repository.js';
import type { Gates, GateStep, ReplayedGates } from './shapes.js';

const { parsed } = await readSession(join(root, 'examples', 'sessions', 'pressure-gauge.jsonl'));
const spillway = await createSpillway({ store: null, inputBudget: DEMO_WINDOW });
const session = spillway.session();
const gates: Gates = spillway.stages.flatMap(({ name, opensAt }) =>
  opensAt === undefined ? [] : [{ name, opensAt }],
);

const calls: ReplayedGates['calls'][number][] = [];
for await (const call of replaySession(session, parsed.messages)) {
  const record = session.operator.history.at(-1);
  const isNew = record !== undefined && record.plan.inputs.logLength === session.log.length;
  calls.push({
    messages: session.log.length,
    shown: session.view.length,
    before: isNew ? record.plan.inputs.tokens : call.tokens,
    after: call.tokens,
    steps: isNew ? record.plan.stages.map(stepOf) : [],
  });
}

/** In what order the gates opened, and to how much each brought the request. */
function stepOf({ stage, before, after, edits }: StageOutcome): GateStep {
  return { stage, before: before.tokens, after: after.tokens, edits };
}
type StageOutcome = (typeof session.operator.history)[number]['plan']['stages'][number];

const tokens = session.operator.explain().map(({ tokensBefore }) => tokensBefore);
const logTokens = (length: number): number => tokens.slice(0, length).reduce((sum, one) => sum + one, 0);

const replayed: ReplayedGates = {
  budget: DEMO_WINDOW,
  gates,
  calls: calls.map((call) => ({ ...call, written: logTokens(call.messages) })),
};
const folder = join(root, 'site', '.vitepress', 'generated');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'gates.json'), JSON.stringify(replayed));
await spillway.close();
