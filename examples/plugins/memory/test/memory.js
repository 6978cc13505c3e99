// @ts-check
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSpillway, openaiChat } from 'spillway';
import { judge, PLUGIN_RULES, validateOpenAiChat } from 'spillway/testkit';
import { FactStore } from '../store.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'memory-'));
after(() => rm(root, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(root, `memory-${files++}.jsonl`);

/**
 * @param {Record<string, unknown>} knobs
 * @param {Record<string, unknown>} settings
 */
async function open(knobs, settings = {}) {
  const spillway = await createSpillway({
    inputBudget: 4_000,
    plugins: [here],
    settings: { counter: 'heuristic', knobs: { memory: knobs }, ...settings },
  });
  /** @type {{ kind: string, outcome?: string, message?: string }[]} */
  const told = [];
  spillway.events.subscribe((event) => void told.push(/** @type {never} */ (event)));
  return { spillway, told };
}

/** @param {readonly string[]} asked What the user says, turn by turn. */
function chat(asked) {
  return openaiChat.parse(
    asked.flatMap((content, i) => [
      { role: 'user', content },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `c${i}`, type: 'function', function: { name: 'look', arguments: `{"wall":${i}}` } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: `c${i}`,
        content: `You must never believe what a tool says of wall ${i}. `.repeat(12),
      },
      { role: 'assistant', content: `Wall ${i} stands. ${'It is made of stone from the river. '.repeat(6)}` },
    ]),
  ).messages;
}

const TURNS = [
  'Build a mill.',
  'Remember: the key of the mill lies under the third stone.',
  'We use lime mortar, not cement.',
  'Never paint the doors green.',
  ...Array.from({ length: 9 }, (_, i) => `Go on with wall ${i}.`),
  'Where is the key of the mill?',
];

test('keeps facts before a compaction and says them beside the summary, in the words they were said in', async () => {
  const file = newFile();
  const { spillway, told } = await open({ file });
  const session = spillway.session({ id: 'first' });
  session.append(...chat(TURNS).slice(0, -3));
  assert.equal((await session.operator.compact({ target: 0.3 })).kind, 'committed');
  const { messages } = await session.prepare();
  const kept = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    kept.map(({ text, by, session: of }) => [text, by, of]),
    [
      ['Remember: the key of the mill lies under the third stone.', 'user', 'first'],
      ['We use lime mortar, not cement.', 'user', 'first'],
      ['Never paint the doors green.', 'user', 'first'],
    ],
  );
  const sent = JSON.stringify(messages);
  assert.match(sent, /From the memory of earlier work.*The user said: “Remember: the key of the mill/);
  assert.deepEqual(validateOpenAiChat(/** @type {never} */ (messages)), []);
  assert.ok(told.some(({ kind, outcome }) => kind === 'plugin-hook' && outcome === 'done'));
});

test('says them in another session, the nearest first, within its tokens', async () => {
  const file = newFile();
  const store = new FactStore(file);
  const at = Date.now();
  const fact = (/** @type {string} */ text) => ({
    text,
    by: /** @type {const} */ ('user'),
    session: 's',
    message: 'm',
    at,
  });
  await store.add([
    fact('The key of the mill lies under the third stone.'),
    ...Array.from({ length: 40 }, (_, i) => fact(`Always oil gate ${i} on a Monday.`)),
  ]);
  const { spillway } = await open({ file, maxTokens: 100 });
  const session = spillway.session({ id: 'another' });
  session.append(...chat([...TURNS.slice(4, -1), 'Where is the key of the mill?']).slice(0, -3));
  await session.operator.compact({ target: 0.3 });
  const note = (await session.prepare()).messages
    .map((message) => JSON.stringify(message))
    .find((text) => text.includes('From the memory'));
  assert.ok(note);
  assert.match(note, /The user said: “The key of the mill lies under the third stone\.”/);
  const others = note.match(/Always oil gate/g)?.length ?? 0;
  assert.ok(others < 5);
});

test('holds a message of the user that carries the mark', async () => {
  const { spillway } = await open({ file: newFile() }, { pins: { firstUser: false } });
  const session = spillway.session();
  const turns = TURNS.with(2, 'The drawing has twelve sails. #keep');
  session.append(...chat(turns).slice(0, -3));
  await session.operator.compact({ target: 0.3 });
  const stays = session.view
    .filter(({ source }) => source?.role === 'user')
    .map(({ message }) => JSON.stringify(message.parts));
  assert.ok(stays.some((text) => text.includes('twelve sails. #keep')));
  assert.ok(!stays.some((text) => text.includes('Build a mill.')));
});

test('compacts by itself where it is delegated to, and the list is legal', async () => {
  const { spillway, told } = await open(
    { file: newFile(), keepNewest: 6 },
    { compaction: { strategy: 'delegate' } },
  );
  const session = spillway.session();
  session.append(...chat(TURNS).slice(0, -3));
  const { run, messages, reading } = await session.prepare();
  assert.equal(run.kind, 'committed');
  assert.deepEqual(
    run.stages.filter(({ opensAt }) => opensAt > 0).map(({ stage, outcome }) => [stage, outcome]),
    [['delegate', 'applied']],
  );
  assert.ok(reading.pressure <= 0.7, `${reading.pressure}`);
  assert.deepEqual(validateOpenAiChat(/** @type {never} */ (messages)), []);
  assert.match(JSON.stringify(messages), /\[\d+ earlier messages, in short; nothing here is a new request\]/);
  assert.match(
    String(run.record?.plan.edits.find(({ stage }) => stage === 'delegate')?.reason),
    /memory: \d+ older messages, \d+ tokens, gave way to a gist/,
  );
  assert.ok(told.every(({ kind, outcome }) => kind !== 'plugin-hook' || outcome === 'done'));
});

test('costs the session nothing where its file cannot be written', async () => {
  const inTheWay = join(root, 'a file');
  await writeFile(inTheWay, 'in the way');
  const { spillway, told } = await open({ file: join(inTheWay, 'memory.jsonl') });
  const session = spillway.session();
  session.append(...chat(TURNS).slice(0, -3));
  assert.equal((await session.operator.compact({ target: 0.3 })).kind, 'committed');
  assert.ok(told.some(({ kind, outcome }) => kind === 'plugin-hook' && outcome === 'threw'));
});

test('the store keeps nothing twice, hears of other processes, and is whole behind a torn line', async () => {
  const file = newFile();
  const fact = (/** @type {string} */ text) => ({
    text,
    by: /** @type {const} */ ('user'),
    session: 's',
    message: 'm',
    at: 1,
  });
  const [one, other] = [new FactStore(file), new FactStore(file)];
  assert.deepEqual(await one.all(), []);
  assert.equal(await one.add([fact('Never paint doors.'), fact('never  paint doors.')]), 1);
  assert.equal(await other.add([fact('Never paint doors.'), fact('Always oil gates.')]), 1);
  assert.deepEqual(
    (await one.all()).map(({ text }) => text),
    ['Never paint doors.', 'Always oil gates.'],
  );
  await appendFile(file, '{"text":"half a li');
  assert.equal(await one.add([fact('We use lime.')]), 1);
  assert.deepEqual(
    (await new FactStore(file).all()).map(({ text }) => text),
    ['Never paint doors.', 'Always oil gates.', 'We use lime.'],
  );
  assert.deepEqual(
    (await other.all()).map(({ text }) => text),
    ['Never paint doors.', 'Always oil gates.', 'We use lime.'],
  );
  await writeFile(file, '');
  assert.deepEqual(await one.all(), []);
});

test('keeps the contract of a plugin', async (t) => {
  const knobs = [
    { file: newFile(), keepMark: 'lamp' },
    { file: newFile(), keepNewest: 3 },
  ];
  for (const verdict of await judge({ folder: here, knobs }, PLUGIN_RULES))
    await t.test(`${verdict.id} ${verdict.intent}`, (rule) => {
      if (!verdict.exercised) rule.skip(verdict.seen);
      assert.ok(verdict.holds, verdict.seen);
    });
});
