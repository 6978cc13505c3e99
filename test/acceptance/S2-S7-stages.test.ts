import { validateOpenAiChat } from '../../src/testkit/index.js';
import { prose, says, step, system, user, times, type Chat } from '../support/chats.js';
import { opened, sessionOf, shownText, talk, wordsOf, preparedAt } from './support.js';

const BUDGET = 20_000;

/** A roster of one stage: the test shows what this stage does by itself. */
const only = (stage: string, options: object = {}) => ({
  roster: [{ stage, opensAt: 0.8 }],
  stages: { [stage]: options },
});

async function compacted(chat: readonly Chat[], settings: object, pressure = 0.85) {
  const session = await sessionOf(BUDGET, chat, settings);
  const prepared = await preparedAt(session, pressure);
  expect(prepared.run.kind).toBe('committed');
  expect(validateOpenAiChat(prepared.messages)).toEqual([]);
  return { session, ...prepared, sent: prepared.messages.map(wordsOf) };
}

/** Ten tool calls; the assistant later refers to the result of the third. */
const looks = (): Chat[] =>
  times(10, (i) => [
    ...step(
      'Bash',
      { command: `inspect ${'abcdefghij'[i]!}` },
      `holds reservoirLevel${'abcdefghij'[i]!}\n${prose(1_000, i)}`,
    ),
    says(i === 2 ? 'What matters is reservoirLevelc.' : 'Nothing of interest.'),
  ]);

describe('S2: snip removes tool exchanges that nothing later refers to, without a model', () => {
  it('leaves a stub with name, size and handle in mode `stub`, and keeps a result that is referred to', async () => {
    const { sent, view, session } = await compacted(
      [user('Look round.'), ...looks()],
      only('snip', { protectTokens: 0, mode: 'stub' }),
    );
    const results = view.filter(({ message }) => message.role === 'tool');
    expect(results).toHaveLength(10);
    expect(shownText(results[0]!)).toMatch(/^\[Bash result, [\d,]+ tokens, compacted; m2#0\]$/);
    expect(shownText(results[2]!)).toContain(prose(1_000, 2));
    expect(sent.filter((text) => text.includes('"tool_calls"'))).toHaveLength(10);
    expect(session.operator.history[0]!.plan.edits.every(({ slot }) => slot === undefined)).toBe(true);
  });

  it('removes the complete exchange by default, and leaves a line for its call', async () => {
    const { view, sent } = await compacted([user('Look round.'), ...looks()], {
      ...only('snip', { protectTokens: 0 }),
      target: 0.3,
    });
    const standing = view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(standing).toHaveLength(1);
    expect(standing[0]).toContain('reservoirLevelc');
    expect(sent.join()).toContain('[call m1] inspect a');
  });
});

it('S3: micro turns each large tool result into one line with outcome, size and handle, and keeps small ones', async () => {
  const runs = times(8, (i) => [
    ...step(
      'Bash',
      { command: `npm test ${i}` },
      `${prose(1_200, i)}\n1 failed, 214 passed in suiteNumber${i}`,
    ),
    says(`The suiteNumber${i} fails.`),
    ...step('Bash', { command: `touch ${i}` }, `made markerFile${i}`),
    says(`There is markerFile${i}.`),
  ]);
  const { view, run, session } = await compacted([user('Test it.'), ...runs], {
    roster: ['snip', 'micro'],
    stages: { snip: { protectTokens: 0 }, micro: { protectTokens: 0 } },
  });
  expect(opened(run)).toEqual(['snip', 'micro']);
  const results = view.filter(({ message }) => message.role === 'tool').map(shownText);
  const first = results[0]!;
  expect(first).toMatch(/^\[Bash result, 1,2\d\d tokens, condensed; m2#0\]/);
  expect(first).toContain('1 failed, 214 passed');
  expect(first.length / 4).toBeLessThanOrEqual(120);
  for (const line of results.filter((text) => text.includes('condensed'))) expect(line).not.toContain('\n');
  expect(results[1]).toBe('made markerFile0');
  // A slot in which a model may write a better line, one for each result.
  const slots = session.operator.history[0]!.plan.edits.map(({ slot }) => slot);
  expect(slots[0]).toMatchObject({ fromId: 'm2', toId: 'm2', prompt: 'micro' });
  expect(new Set(slots.map((slot) => slot?.fromId)).size).toBe(slots.length);
});

it('S3: micro turns a result with many error lines into one line that quotes some of them', async () => {
  const failures = times(40, (i) => `  error TS23${i}: src/part${i}.ts(4,${i}): no paddle`);
  const chat = times(6, (i) => [
    ...step('Bash', { command: `npm run build${i}` }, `${prose(600, i)}\n${failures.join('\n')}\nexit ${i}`),
    says('It fails.'),
  ]);
  const { view } = await compacted([user('Build it.'), ...chat], only('micro', { protectTokens: 0 }));
  const lines = view.filter(({ message }) => message.role === 'tool').map(shownText);
  const condensed = lines.filter((text) => text.includes(', condensed; '));
  expect(condensed.length).toBeGreaterThan(2);
  for (const line of condensed) {
    expect(line).not.toContain('\n');
    const told = line.split(' | ').slice(1);
    expect(told.length).toBeGreaterThan(1);
    for (const one of told) expect(failures.map((text) => text.trim())).toContain(one);
  }
});

describe('S2 and S3: the text that replaces a result', () => {
  const source = times(120, (i) =>
    i % 30 === 7 ? `export function gate${i}() {` : `  throw new Error('no such gate ${i}');`,
  ).join('\n');

  it('quotes the declarations of a file, not the error messages in it', async () => {
    const reads = times(12, (i) => [
      ...step('read_file', { path: `src/gate${i}.ts` }, `${source}\n${prose(400, i)}`),
      says(`gate${i}.ts is fine.`),
    ]);
    const { view } = await compacted([user('Read it.'), ...reads], only('micro', { protectTokens: 0 }));
    const [first] = view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(first).toMatch(/condensed; m2#0\] export function gate7\(\) \{ \| export function gate37/);
    expect(first).not.toContain('throw new Error');
  });

  it('says that a call failed, while a small result stays as it is', async () => {
    const runs = times(12, (i) => [
      ...step('Bash', { command: `npm test ${i}` }, `${prose(1_000, i)}\n${i} failed, 214 passed`),
      ...step(
        'Edit',
        { path: `src/gate${i}.ts` },
        'The file has been updated. It holds one gate more than it did.',
      ),
    ]);
    const { view } = await compacted([user('Test it.'), ...runs], {
      ...only('snip', { protectTokens: 0, mode: 'stub' }),
    });
    const results = view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(results[2]).toMatch(
      /^\[Bash result, [\d,]+ tokens, compacted: failed: “.*1 failed, 214 passed”; m6#0\]$/,
    );
    expect(results[1]).toBe('The file has been updated. It holds one gate more than it did.');
  });
});

describe('S4: collapse merges consecutive messages of one role, without a model', () => {
  it('into one message with exactly the same words', async () => {
    const thoughts = times(300, (i) => user(`Thought ${i}: ${prose(30, i)}`));
    const { sent, session } = await compacted(
      [user('I will think aloud.'), says('Go on.'), ...thoughts, says('I see.')],
      { ...only('collapse'), minGain: 0.001 },
    );
    // Task, answer, the thoughts as one message, answer, the last question.
    expect(sent).toHaveLength(5);
    for (const thought of thoughts) expect(sent[2]).toContain(JSON.stringify(thought.content).slice(1, -1));
    expect(session.operator.history[0]!.plan.edits.every(({ slot }) => slot === undefined)).toBe(true);
  });

  it('except messages with images, which it leaves alone', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(400)}` } };
    const shown = times(300, (i) =>
      i % 100 === 50
        ? { role: 'user', content: [{ type: 'text', text: `Picture ${i}` }, image] }
        : user(`Thought ${i}: ${prose(30, i)}`),
    );
    const { sent } = await compacted(
      [user('I show you pictures.'), says('Go on.'), ...shown, says('I see.')],
      { ...only('collapse'), minGain: 0.001 },
    );
    expect(sent.length).toBeLessThan(15);
    expect(sent.filter((text) => text.includes('image_url')).length).toBe(3);
  });
});

const SESSION = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

it('S5: auto replaces the oldest messages by one summary, no more than necessary, and keeps the rest verbatim', async () => {
  const { view, sent, reading } = await compacted(SESSION, only('auto', { windowMessages: 8 }), 0.9);
  const summaries = view.filter(({ message }) => message.label === 'summary');
  expect(summaries).toHaveLength(1);
  const [summary] = summaries;
  expect(summary!.message.role).toBe('assistant');
  // The oldest message that may leave is the third, after the system prompt and the task.
  expect([summary!.from, view.indexOf(summary!)]).toEqual([2, 2]);
  // A summary of 24 messages, 7,300 tokens, may keep 1,500: it frees less than the 6,000 needed. So 8 more leave.
  expect(summary!.to - summary!.from + 1).toBe(32);
  expect(reading.pressure).toBeLessThanOrEqual(0.6);
  expect(sent.slice(3, -1)).toEqual(SESSION.slice(summary!.to + 1).map(wordsOf));
});

it.each([4, 12])(
  'S6: partial replaces everything except the last N messages by a summary: N = %d',
  async (retainCount) => {
    const { sent, view } = await compacted(SESSION, { ...only('partial'), thresholds: { retainCount } }, 0.9);
    // System prompt, task, summary and the last N messages, the current question among them.
    expect(sent).toHaveLength(3 + retainCount);
    expect(view[2]!.message.label).toBe('summary');
    expect(sent.slice(3, -1)).toEqual(SESSION.slice(1 - retainCount).map(wordsOf));
  },
);

describe('S7: full replaces the complete conversation by one summary,', () => {
  it('except the pins and the unanswered question', async () => {
    const { sent, view } = await compacted(SESSION, only('full'), 0.9);
    expect(view.map(({ message }) => message.label ?? message.role)).toEqual([
      'system',
      'user',
      'summary',
      'user',
    ]);
    expect(sent[1]).toContain('Build a mill.');
    expect(view[2]).toMatchObject({ from: 2, to: SESSION.length - 1 });
  });

  it('after all other stages have opened', async () => {
    const session = await sessionOf(BUDGET, SESSION, {
      thresholds: { retainCount: 1_000 },
      stages: { auto: { preserveRecent: 1_000 } },
    });
    expect(opened((await preparedAt(session, 0.99)).run).at(-1)).toBe('full');
  });
});
