// @ts-check
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSpillway, openaiChat } from 'spillway';
import { judge, PLUGIN_RULES } from 'spillway/testkit';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'markdown-'));
after(() => rm(root, { recursive: true, force: true }));

/** @param {Record<string, unknown>} knobs */
async function open(knobs) {
  const spillway = await createSpillway({
    inputBudget: 3_000,
    plugins: [here],
    settings: { counter: 'heuristic', knobs: { markdown: knobs } },
  });
  /** @type {{ kind: string, outcome?: string }[]} */
  const told = [];
  spillway.events.subscribe((event) => void told.push(/** @type {never} */ (event)));
  return { spillway, told };
}

const LONG = openaiChat.parse([
  { role: 'user', content: 'Build a mill.' },
  { role: 'assistant', content: null, tool_calls: [call('c1', 'read', '{"path":"mill.md"}')] },
  {
    role: 'tool',
    tool_call_id: 'c1',
    content: `# The mill\n\`\`\`js\nturn();\n\`\`\`\n${'stone by stone\n'.repeat(150)}`,
  },
  ...Array.from({ length: 12 }, (_, i) => [
    { role: 'assistant', content: `Wall ${i} stands. ${'It is made of stone from the river. '.repeat(12)}` },
    { role: 'user', content: `Go on with wall ${i + 1}.` },
  ]).flat(),
]).messages;

/**
 * @param {string} id
 * @param {string} name
 * @param {string} text
 */
function call(id, name, text) {
  return { id, type: 'function', function: { name, arguments: text } };
}

test('writes what left, word for word, and what stands for it', async () => {
  const folder = join(root, 'pages');
  const { spillway, told } = await open({ folder });
  const session = spillway.session({ id: '../a session' });
  session.append(...LONG);
  await session.operator.compact({ target: 0.4 });
  assert.deepEqual(await readdir(folder), ['%2E%2E%2Fa%20session.md']);
  const page = await readFile(join(folder, '%2E%2E%2Fa%20session.md'), 'utf8');
  const record = session.operator.history.at(-1);
  assert.ok(record);
  assert.match(page, new RegExp(`compaction: \`${record.id}\``));
  assert.match(page, /Wall 0 stands\./);
  assert.match(page, /Calls `read`:/);
  // The page's fence is longer than the fence in the message.
  assert.match(page, /````text\n# The mill\n```js\nturn\(\);\n```/);
  assert.match(page, /### What stands for them/);
  assert.ok(told.some(({ kind, outcome }) => kind === 'plugin-hook' && outcome === 'done'));

  session.append(
    ...openaiChat
      .parse([
        { role: 'assistant', content: 'All walls stand. '.repeat(300) },
        { role: 'user', content: 'Good.' },
      ])
      .messages.map((message, i) => ({ ...message, id: `later${i}` })),
  );
  await session.operator.compact({ target: 0.2 });
  const longer = await readFile(join(folder, '%2E%2E%2Fa%20session.md'), 'utf8');
  assert.ok(longer.startsWith(page) && longer.length > page.length);
});

test('leaves out the output of tools and cuts texts where it is told to', async () => {
  const folder = join(root, 'short');
  const { spillway } = await open({ folder, toolOutput: false, mostChars: 200 });
  const session = spillway.session({ id: 's' });
  session.append(...LONG);
  await session.operator.compact({ target: 0.4 });
  const page = await readFile(join(folder, 's.md'), 'utf8');
  assert.ok(!/```text\n# The mill/.test(page));
  assert.match(page, /\[\d+ more\]/);
});

test('costs the session nothing where it cannot write', async () => {
  const file = join(root, 'a file');
  await writeFile(file, 'in the way');
  const { spillway, told } = await open({ folder: join(file, 'pages') });
  const session = spillway.session();
  session.append(...LONG);
  assert.equal((await session.operator.compact({ target: 0.4 })).kind, 'committed');
  assert.ok(told.some(({ kind, outcome }) => kind === 'plugin-hook' && outcome === 'threw'));
  assert.equal(await readFile(file, 'utf8'), 'in the way');
});

test('keeps the contract of a plugin', async (t) => {
  const knobs = [{ folder: root }, { folder: root, toolOutput: false }];
  for (const verdict of await judge({ folder: here, knobs }, PLUGIN_RULES))
    await t.test(`${verdict.id} ${verdict.intent}`, (rule) => {
      if (!verdict.exercised) rule.skip(verdict.seen);
      assert.ok(verdict.holds, verdict.seen);
    });
});
