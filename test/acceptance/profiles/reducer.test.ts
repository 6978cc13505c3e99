import { createSpillway, type Summarizer } from '../../../src/index.js';
import { prose, quarter, says, step, system, user, times, type Chat } from '../../support/chats.js';
import { engine, fill, read, shownText, talk, wordsOf, sessionOf, preparedAt } from '../support.js';

const opened = (settings: object = {}, more: object = {}) =>
  createSpillway({ counter: quarter, profile: 'reducer', settings, ...more });

/** A skill and a weather report at the beginning, then as much talk as it takes. */
const CHAT: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...step('skill', { name: 'milling' }, `The rules of milling: ${prose(300, 1)}`),
  ...step('weather', {}, `Rain. ${prose(300, 2)}`),
  says('Rain, then.'),
  ...talk(14, 380),
];

describe('R4: a result that must never be evicted remains under every stage', () => {
  it.each([
    ['reducer', {}],
    ['reducer', { roster: ['snip', 'auto', 'partial', 'full'] }],
    ['staged', { stages: { snip: { retention: { tools: { skill: { neverEvict: true } } } } } }],
  ])('profile %s with %j', async (profile, settings) => {
    const session = await sessionOf(12_000, CHAT, settings, { profile });
    await session.operator.compact({ target: 0.2 });
    const status = new Map(session.operator.explain().map((one) => [one.id, one.status]));
    expect([...status.values()]).toContain('superseded');
    expect(status.get('m3')).toBe('pinned');
    expect(session.view.map(shownText)).toContainEqual(expect.stringContaining('The rules of milling'));
    expect(session.view.map(shownText).join('\n')).not.toContain('Rain. ');
  });

  it('the settings of the document are accepted by their own names', async () => {
    const { stages, settings } = (
      await opened({
        retention: { default: { turns: 5 }, tools: { lookup: { never_evict: true }, search: { count: 2 } } },
        injection_reserve: 2_000,
        sliding_window: { turns: 30 },
        caps: { tool_results: 0.3 },
        budget: 50_000,
      })
    ).config;
    expect(stages['snip']).toMatchObject({
      retention: {
        default: { turns: 5 },
        tools: { lookup: { neverEvict: true }, search: { count: 2 }, skill: { neverEvict: true } },
      },
      dialogue: { turns: 30 },
    });
    expect(settings).toMatchObject({
      reserve: { injection: 2_000, output: 0 },
      window: 50_000,
      caps: { toolResults: 0.3 },
    });
  });

  it('the defaults are three turns, three results of a searching tool, stubs, and pruning before every call', async () => {
    const { stages, settings } = (await opened()).config;
    expect(stages['snip']).toMatchObject({
      mode: 'stub',
      notice: '[result expired]',
      retention: {
        default: { turns: 3 },
        tools: { search: { count: 3 }, read_file: { count: 3 }, skill: { neverEvict: true } },
      },
      dialogue: { turns: 50 },
    });
    expect(settings).toMatchObject({
      prune: 'always',
      roster: ['snip', 'auto'],
      safetyMargin: 0.05,
      fill: { prepareAt: 0.6, wait: false },
      pins: { firstUser: false },
    });
  });
});

it.each([0.3, 0.79])(
  'R5: the sliding window on dialogue is applied before a call at pressure %d, without a compaction',
  async (pressure) => {
    const chat = [system('Be brief.'), ...talk(20, 100)];
    const budget = Math.ceil((40 * 107) / pressure);
    const session = (
      await opened({ sliding_window: { turns: 3 }, safetyMargin: 0 }, { inputBudget: budget })
    ).session();
    session.append(...read(chat));
    const { messages, run } = await session.prepare();
    const sent = messages.map(wordsOf);
    expect(sent).toHaveLength(1 + 1 + 6);
    expect(sent.slice(2)).toEqual(chat.slice(-6).map(wordsOf));
    expect(run.kind).toBe('below-gate');
    expect(session.operator.history).toEqual([]);
    // A window that moves on leaves one outline, not several.
    session.append(...read(talk(1, 100, 700)).map((message) => ({ ...message, id: `n${message.id}` })));
    expect((await session.prepare()).messages).toHaveLength(1 + 1 + 6);
  },
);

it('R11: a cap on tool results replaces the oldest ones, and never one that may not be evicted', async () => {
  const settings = {
    safetyMargin: 0,
    caps: { tool_results: 0.3 },
    retention: { tools: { lookup: { never_evict: true } } },
  };
  const session = (await opened(settings, { inputBudget: 20_000 })).session();
  const calls = Array.from({ length: 8 }, (_, i) =>
    step(i === 0 ? 'lookup' : 'fetch', { n: i }, prose(1_200, i)),
  );
  session.append(...read([user('Look.'), ...calls.flat(), says('There is nothing.'), user('And now?')]));
  expect(session.reading.byToolResults).toBeGreaterThan(1.5);
  await session.prepare();
  expect(session.reading.byToolResults).toBeLessThanOrEqual(1);
  const results = session.operator.explain().filter(({ role }) => role === 'tool');
  expect(results.map(({ status }) => status === 'replaced')).toEqual([false, ...times(7, (i) => i < 4)]);
});

/** Lets work that was begun go as far as it can. */
async function turned(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
}

/** Answers when it is told to. */
function slow() {
  const waiting: (() => void)[] = [];
  const summarizer: Summarizer = {
    name: 'slow',
    endpoint: 'here',
    summarize: () =>
      new Promise((resolve) => {
        waiting.push(() =>
          resolve({
            text: 'Written by the summarizer: the user wants a mill, in the rain.',
            finishReason: 'stop',
          }),
        );
      }),
  };
  const answer = async (): Promise<void> => {
    for (const one of waiting.splice(0)) one();
    await turned();
  };
  return { summarizer, waiting, answer };
}

describe('R6: summaries are written between turns, and no call waits for one', () => {
  const session = async (more: object) => {
    const made = await engine(12_000, {}, { profile: 'reducer', ...more });
    const opened = made.session();
    opened.append(...read([system('Be brief.'), user('Build.'), ...talk(9, 400)]));
    return opened;
  };

  it('a summary is prepared from 0.6 on by default, and used when it is due', async () => {
    const { summarizer, waiting, answer } = slow();
    const one = await session({ summarizer });
    const { reading } = await one.prepare();
    expect(reading.pressure).toBeGreaterThan(0.6);
    await one.observe({ inputTokens: reading.tokens, outputTokens: 10 });
    await turned();
    expect(waiting).toHaveLength(1);
    await answer();
    const { run } = await preparedAt(one, 0.95);
    expect(run.kind).toBe('committed');
    expect(one.view.map(shownText).join('\n')).toContain('Written by the summarizer');
  });

  it('a text that is not ready in time is not waited for, and the digest is used', async () => {
    const { summarizer, waiting, answer } = slow();
    const one = await session({ summarizer });
    const { reading } = await one.prepare();
    await one.observe({ inputTokens: reading.tokens, outputTokens: 10 });
    await turned();
    const { run } = await preparedAt(one, 0.95);
    expect([run.kind, waiting.length]).toEqual(['committed', 1]);
    expect(one.view.some(({ message }) => message.label === 'summary')).toBe(true);
    await answer();
  });

  it('with fill.wait an abort ends the wait for a text that is being prepared', async () => {
    const { summarizer, waiting, answer } = slow();
    const one = await session({ summarizer, settings: { safetyMargin: 0, fill: { wait: true } } });
    const { reading } = await one.prepare();
    await one.observe({ inputTokens: reading.tokens, outputTokens: 10 });
    await turned();
    expect(waiting).toHaveLength(1);
    fill(one, 0.95);
    const cancel = new AbortController();
    const preparing = one.prepare({ signal: cancel.signal });
    cancel.abort();
    expect((await preparing).run.kind).toBe('committed');
    await answer();
  });
});
