// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSpillway, openaiChat } from 'spillway';
import { judge, STAGE_RULES } from 'spillway/testkit';
import { conform, myStage } from '../index.js';

test('keeps the contract of a stage', async (t) => {
  const verdicts = await judge({ stage: myStage, options: conform.options['my-stage'] }, STAGE_RULES);
  for (const { id, intent, holds, exercised, seen } of verdicts)
    await t.test(`${id} ${intent}`, (rule) => {
      if (!exercised) rule.skip(seen);
      assert.ok(holds, seen);
    });
});

test('makes a session fit by cutting its oldest results, loaded as a plugin', async () => {
  const spillway = await createSpillway({
    inputBudget: 4_000,
    plugins: [fileURLToPath(new URL('..', import.meta.url))],
    settings: { counter: 'heuristic', roster: [{ stage: 'my-stage', opensAt: 0.8 }] },
  });
  const session = spillway.session();
  session.append(
    ...openaiChat.parse([
      { role: 'user', content: 'Read all pages.' },
      ...Array.from({ length: 12 }, (_, i) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `c${i}`, type: 'function', function: { name: 'page', arguments: `{"page":${i}}` } },
          ],
        },
        {
          role: 'tool',
          tool_call_id: `c${i}`,
          content: `Page ${i}\n${'the mill stands by the river\n'.repeat(60)}`,
        },
      ]).flat(),
      { role: 'assistant', content: 'I have read them.' },
      { role: 'user', content: 'What does the last one say?' },
    ]).messages,
  );
  assert.ok(session.reading.pressure > 1);
  const { run, reading, messages } = await session.prepare();
  assert.equal(run.kind, 'committed');
  assert.deepEqual(
    run.stages.map(({ stage, outcome }) => [stage, outcome]),
    [['my-stage', 'applied']],
  );
  assert.ok(reading.pressure <= 0.8);
  assert.match(JSON.stringify(messages[2]), /Page 0.*tokens cut; m2#0/);
});
