import { createSpillway } from '../../src/index.js';
import { prose, quarter, says, step, system, user, type Chat } from '../support/chats.js';
import { engine, read, sessionOf, spillway, talk, temporaryFolder, wordsOf, preparedAt } from './support.js';

const folder = temporaryFolder();
const reminder = (n: number): Chat =>
  user(`<system-reminder>Your list is empty. ${prose(120, n)}</system-reminder>`);

/** Two reminders, each ten times, between the turns. */
const REMINDED = [
  system('Be brief.'),
  user('Build a mill.'),
  says('Gladly.'),
  ...Array.from({ length: 10 }, (_, i) => [reminder(1), reminder(2), ...talk(1, 300, 10 * i)]).flat(),
];

const agent = async (budget: number, settings = {}) =>
  (await engine(budget, settings, { profile: 'agent' })).session();

async function trimmed(pressure: number, settings = {}) {
  const session = await agent(20_000, settings);
  session.append(...read(REMINDED));
  const { messages, run } = await preparedAt(session, pressure);
  const sent = messages.map(wordsOf);
  return { session, run, sent, reminders: sent.filter((text) => text.includes('<system-reminder>')) };
}

describe('A1: removal of duplicate synthetic messages', () => {
  it('does not start below 50 % fill', async () => {
    expect((await trimmed(0.49)).reminders).toHaveLength(20);
  });

  it('keeps the newest of each kind from 50 % fill on, without a compaction', async () => {
    const { reminders, session, run, sent } = await trimmed(0.51);
    expect(reminders).toEqual([wordsOf(reminder(1)), wordsOf(reminder(2))]);
    expect(run.kind).toBe('below-gate');
    expect(session.operator.history).toEqual([]);
    const kept = session.operator
      .explain()
      .filter(
        ({ id, status }) =>
          status !== 'superseded' && wordsOf(session.log.find(id)!.parts).includes('<system-reminder>'),
      );
    expect(kept.map(({ seq }) => seq)).toEqual([REMINDED.length - 4, REMINDED.length - 3]);
    // Nothing else was removed.
    expect(sent).toHaveLength(REMINDED.length + 1 - 18);
  });

  it('runs before a compaction and can make it unnecessary', async () => {
    const settings = { target: 0.7, trim: { threshold: 0.6 } };
    expect((await trimmed(0.82, { ...settings, trim: { threshold: 1 } })).run.kind).toBe('committed');
    const { run, reminders, session } = await trimmed(0.82, settings);
    expect(reminders).toHaveLength(2);
    expect(run.kind).toBe('below-gate');
    expect(session.reading.pressure).toBeLessThan(0.8);
  });

  it('starts at the fill that is configured', async () => {
    expect((await trimmed(0.45, { trim: { threshold: 0.4 } })).reminders).toHaveLength(2);
    expect((await trimmed(0.51, { trim: { threshold: 0.6 } })).reminders).toHaveLength(20);
  });
});

describe('A2: a trigger in per cent or in tokens; tokens win if they are set', () => {
  const compactedAt = async (tokens: number, settings: object): Promise<boolean> => {
    const session = await agent(20_000, settings);
    session.append(
      ...read(talk(10, 300)),
      ...read([user('and')]).map((message) => ({ ...message, id: 'and' })),
    );
    return (await preparedAt(session, tokens / 20_000)).run.kind === 'committed';
  };

  it.each([
    [15_900, { trigger: { maxTokens: 0 } }, false],
    [16_100, { trigger: { maxTokens: 0 } }, true],
    // Below 80 %, and above it.
    [11_900, { trigger: { maxTokens: 12_000 } }, false],
    [12_100, { trigger: { maxTokens: 12_000 } }, true],
    [17_900, { trigger: { maxTokens: 18_000 } }, false],
    [18_100, { trigger: { maxTokens: 18_000 } }, true],
  ])('at %d of 20,000 tokens with %j it compacts: %s', async (tokens, settings, compacts) => {
    expect(await compactedAt(tokens, settings)).toBe(compacts);
  });

  it.each([
    [0.51, { threshold: 0.5, maxTokens: 11_000 }, 20],
    [0.56, { threshold: 0.5, maxTokens: 11_000 }, 2],
    [0.45, { threshold: 0.5, maxTokens: 8_000 }, 2],
    [0.45, { threshold: 0.5, maxTokens: 0 }, 20],
  ])('applies to the trim as well: at %d with %j', async (pressure, trim, left) => {
    expect((await trimmed(pressure, { trim })).reminders).toHaveLength(left);
  });
});

it.each([10, 4])(
  'A4: a compaction leaves the system prompt, a summary and the last N messages: N = %d',
  async (retainCount) => {
    const chat = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];
    const session = await agent(20_000, { thresholds: { retainCount } });
    session.append(...read(chat));
    const { messages, view } = await preparedAt(session, 0.82);
    expect(messages).toHaveLength(2 + retainCount);
    expect(wordsOf(messages[0])).toBe(wordsOf(chat[0]));
    expect(view[1]!.message).toMatchObject({ label: 'summary', role: 'assistant' });
    expect(messages.slice(2, -1).map(wordsOf)).toEqual(chat.slice(1 - retainCount).map(wordsOf));
  },
);

describe('A11: pruning of large tool-call arguments', () => {
  const big = prose(2_000, 5);
  const WRITES = [
    user('Write the chapters.'),
    ...Array.from({ length: 20 }, (_, i) =>
      step('Write', { path: `chapter${i}.md`, text: `${i} ${big}`, mode: 420 }, 'ok'),
    ).flat(),
  ];
  const SMALL = step('Write', { path: 'small.md', text: prose(150, 6) }, 'ok');

  async function pruned(prune: string, tail: readonly Chat[] = [], budget = 100_000) {
    const session = await agent(budget, { prune, stages: { snip: { arguments: { mode: 'on' } } } });
    session.append(...read([WRITES[0]!, ...SMALL, ...WRITES.slice(1), ...tail]));
    const { messages } = await session.prepare();
    const writes = (messages as Chat[]).flatMap((message) =>
      ((message.tool_calls ?? []) as { function: { arguments: string } }[]).map(
        (call) => call.function.arguments,
      ),
    );
    return { session, writes };
  }

  it('keeps parameter names, numbers and short values, and says how to read the rest back', async () => {
    const { writes } = await pruned('iteration');
    const first = JSON.parse(writes[1]!) as Record<string, unknown>;
    expect(Object.keys(first)).toEqual(['path', 'text', 'mode']);
    expect(first).toMatchObject({
      path: 'chapter0.md',
      mode: 420,
      text: expect.stringMatching(/more characters; m\d+#0\]/),
    });
    expect(writes[1]!.length / 4).toBeLessThan(200);
  });

  it('leaves the newest 30 % of the window, and arguments of at most 200 tokens', async () => {
    const { writes } = await pruned('iteration');
    expect(writes[0]).toContain(JSON.stringify(prose(150, 6)).slice(1, -1));
    const whole = writes.slice(1).map((text) => text.includes(JSON.stringify(big).slice(1, -1)));
    // 30,000 of 100,000 tokens hold fourteen calls of some 2,060.
    expect(whole.lastIndexOf(false)).toBe(5);
    expect(whole.slice(6).every(Boolean)).toBe(true);
  });

  it('never happens under `prune: off`', async () => {
    const { session } = await pruned('off');
    expect(session.operator.ledger.records).toEqual([]);
  });

  it('happens after a tool result, not after plain messages, under `prune: iteration`', async () => {
    expect((await pruned('iteration')).session.operator.ledger.records).toHaveLength(1);
    expect(
      (await pruned('iteration', [says('Written.'), user('Thanks.')])).session.operator.ledger.records,
    ).toEqual([]);
  });

  it('happens at the start of a run, not between runs, under `prune: compaction`', async () => {
    expect((await pruned('compaction')).session.operator.ledger.records).toEqual([]);
    const { session } = await pruned('compaction', [], 50_000);
    expect(session.operator.ledger.records.map(({ kind }) => kind)[0]).toBe('prune');
  });
});

describe('A12: a window that the operator sets replaces the window of the model', () => {
  it('if it is set in code, in the environment or in a file', async () => {
    const sources = [
      { settings: { model: 'gpt-4o', window: 40_000 } },
      { settings: { model: 'gpt-4o' }, env: { SPILLWAY_WINDOW: '40000' } },
      { settings: { model: 'gpt-4o' }, configFile: folder.file('window.yaml', 'window: 40000\n') },
    ];
    for (const source of sources) {
      const { budget } = (await createSpillway({ counter: quarter, ...source })).session().reading;
      expect(budget).toMatchObject({ window: 40_000, authoritative: true });
      expect(budget.derivation[0]).toMatch(/window 40,000 tokens \(setting\)/);
    }
  });

  it('if it is set on the command line', async () => {
    const file = folder.file('talk.json', JSON.stringify(talk(2, 50)));
    const { err } = await spillway(['compact', file, '--model', 'gpt-4o', '--window', '40000', '--json']);
    expect(JSON.parse(err).budget.derivation.join()).toMatch(/window 40,000 tokens \(setting\)/);
  });

  it('when Spillway decides whether to compact', async () => {
    const kinds = await Promise.all(
      [{}, { window: 20_000, reserve: { output: 0 } }].map(async (settings) => {
        const spillway = await createSpillway({
          counter: quarter,
          settings: { model: 'gpt-4o', ...settings },
        });
        const session = spillway.session();
        session.append(...read(talk(30, 320)));
        return (await session.prepare()).run.kind;
      }),
    );
    expect(kinds).toEqual(['below-gate', 'committed']);
    expect((await sessionOf(20_000, [])).reading.budget.tokens).toBe(20_000);
  });
});
