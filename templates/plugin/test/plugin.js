// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSpillway, openaiChat } from 'spillway';
import { judge, PLUGIN_RULES } from 'spillway/testkit';
import { conform } from '../index.js';

const here = fileURLToPath(new URL('..', import.meta.url));

test('keeps the contract of a plugin', async (t) => {
  const verdicts = await judge({ folder: here, knobs: conform.knobs['my-plugin'] }, PLUGIN_RULES);
  for (const { id, intent, holds, exercised, seen } of verdicts)
    await t.test(`${id} ${intent}`, (rule) => {
      if (!exercised) rule.skip(seen);
      assert.ok(holds, seen);
    });
});

/** @param {Record<string, unknown>} knobs */
async function open(knobs) {
  const spillway = await createSpillway({
    inputBudget: 2_000,
    plugins: [here],
    settings: { counter: 'heuristic', pins: { firstUser: false }, knobs: { 'my-plugin': knobs } },
  });
  /** @type {{ kind: string, message?: string, outcome?: string }[]} */
  const told = [];
  spillway.events.subscribe((event) => void told.push(/** @type {never} */ (event)));
  const session = spillway.session();
  session.append(
    ...openaiChat.parse(
      Array.from({ length: 12 }, (_, i) => [
        { role: 'user', content: `Go on with wall ${i}.` },
        {
          role: 'assistant',
          content: `Wall ${i} stands. ${'It is made of stone from the river. '.repeat(20)}`,
        },
      ]).flat(),
    ).messages,
  );
  return { session, told };
}

test('is loaded by its manifest, and says the note beside the summary', async () => {
  const { session, told } = await open({ note: 'The release branch is frozen.' });
  assert.equal((await session.operator.compact({ target: 0.3 })).kind, 'committed');
  const carried = session.view.filter(({ message }) => message.label === 'injected');
  assert.deepEqual(
    carried.map(({ message }) => message.parts),
    [[{ type: 'text', text: 'The release branch is frozen.' }]],
  );
  assert.ok(
    told.some(({ kind, message = '' }) => kind === 'plugin-said' && message.endsWith('compaction 1')),
  );
});

test('holds the newest words of the user', async () => {
  const { session } = await open({ hold: 1 });
  await session.operator.compact({ target: 0.2 });
  const stays = session.view.flatMap(({ source }) => (source?.role === 'user' ? [source.id] : []));
  assert.ok(stays.includes('m22'));
});

test('none of its hooks fails', async () => {
  const { session, told } = await open({ note: 'A note.', hold: 2 });
  await session.operator.compact({ target: 0.3 });
  const hooks = told.filter(({ kind }) => kind === 'plugin-hook');
  assert.equal(hooks.length, 2);
  assert.ok(hooks.every(({ outcome }) => outcome === 'done'));
});
