import { ownLane } from '../../../../src/faces/cli/bench/lane.js';
import { createSpillway, openaiChat } from '../../../../src/index.js';

it.each([
  [{ calls: 2, cost: 0.25, unpriced: 0 }, 0.25],
  [{ calls: 2, cost: 0.25, unpriced: 1 }, NaN],
])('N10: what summaries cost is part of what a policy costs: %o', async (compactor, wanted) => {
  const spillway = await createSpillway({ store: null, inputBudget: 4_000 });
  const session = spillway.session();
  Object.defineProperty(session.operator, 'costs', { value: { compactor } });
  const opened = { session, messagesField: 'messages', warnings: [], close: () => spillway.close() };
  const lane = ownLane('openai-chat', opened, openaiChat.parse([{ role: 'user', content: 'Go.' }]).messages);
  expect([lane.summaries(), lane.compactions()]).toEqual([wanted, 0]);
  await lane.close();
});
