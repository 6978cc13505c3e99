import { createSpillway, openaiChat, replaySession } from '../../src/index.js';
import { callOf, prose, resultOf, says, step, system, user, times, type Chat } from '../support/chats.js';
import { engine, fill, opened, read, sessionOf, shownText, talk, wordsOf } from './support.js';

const reducer = async (budget: number, settings = {}) =>
  (await engine(budget, settings, { profile: 'reducer' })).session();
const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(60, 200)];

/** Tool calls and talk, three times as large as the budget of 8,000 tokens. */
const LONG: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...times(20, (i) => [
    ...step(
      'search',
      { query: `stone ${i}` },
      `stoneNumber${i}\n${prose(600, i)}`,
      `Looking for stone ${i}.`,
    ),
    says(`stoneNumber${i} will do. ${prose(100, 30 + i)}`),
    user(`Go on with stone ${i + 1}. ${prose(100, 60 + i)}`),
  ]),
];

describe('R1: compaction is a projection', () => {
  it('of a log that never changes', async () => {
    const session = await sessionOf(8_000, []);
    const all = read(LONG);
    let calls = 0;
    for await (const { prepared } of replaySession(session, all)) if (prepared) calls++;
    expect(calls).toBe(40);
    expect(session.operator.history.length).toBeGreaterThan(2);
    expect(session.log.length).toBe(all.length);
    for (const [seq, message] of all.entries()) expect(session.log.at(seq)).toMatchObject({ ...message });
  });

  it('that gives the same requests byte for byte when a session is replayed', async () => {
    const play = async (): Promise<string[]> => {
      const session = await sessionOf(8_000, []);
      const sent: string[] = [];
      for await (const { prepared } of replaySession(session, read(LONG)))
        sent.push(wordsOf(prepared!.messages));
      return sent;
    };
    expect(await play()).toEqual(await play());
  });

  it('that is the original after its record is undone', async () => {
    const session = await sessionOf(20_000, LONG);
    expect((await session.prepare()).run.kind).toBe('committed');
    session.operator.undo();
    expect(openaiChat.serialise(session.view).messages).toEqual(LONG);
  });
});

describe('R3: free reducers come first, a model only for what still overflows', () => {
  const GREEDY: Chat[] = [
    user('Look for stones.'),
    ...times(10, (i) => step('search', { query: `${i}` }, prose(1_500, i))),
    says('There are none.'),
    ...talk(5, 100),
    user('And now?'),
  ];

  it('so no text is requested if removing results was enough', async () => {
    const session = await reducer(10_000);
    session.append(...read(GREEDY));
    expect(session.reading.pressure).toBeGreaterThan(1.5);
    const { run, reading } = await session.prepare();
    expect(run.kind).toBe('below-gate');
    expect(reading.pressure).toBeLessThan(0.8);
    expect(
      session.operator.ledger.records.flatMap(({ plan }) => plan.edits).filter(({ slot }) => slot),
    ).toEqual([]);
  });

  it('so one summary is requested if it was not enough', async () => {
    const session = await reducer(10_000);
    session.append(...read([...GREEDY, ...talk(25, 150, 300)]));
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(session.operator.ledger.records.map(({ kind }) => kind)).toEqual(['prune', 'compaction']);
    const slots = session.operator.ledger.records.map(
      ({ plan }) => plan.edits.filter(({ slot }) => slot).length,
    );
    expect(slots).toEqual([0, 1]);
  });
});

describe('R4: tool-result retention per tool', () => {
  /** Six turns; in each a weather report, two searches, a skill and a tool without settings. */
  const DAYS: Chat[] = times(6, (day) => [
    user(`Day ${day}. ${prose(10, day)}`),
    ...['weather', 'search', 'search', 'skill', 'other'].flatMap((tool, i) =>
      step(tool, { day, i }, `${tool} of day ${day}, ${i}: ${prose(100, 10 * day + i)}`),
    ),
    says(`So much for day ${day}.`),
  ]);

  async function standing(settings = {}): Promise<string[]> {
    const session = await reducer(1_000_000, settings);
    session.append(...read([...DAYS, user('And tomorrow?')]));
    const { messages } = await session.prepare();
    const results = session.view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(results).toHaveLength(30);
    expect(messages).toHaveLength(DAYS.length + 1);
    return results.filter((text) => /^\w+ of day/.test(text)).map((text) => text.split(':')[0]!);
  }
  const retention = (tools: object, usual: object = {}) => ({
    stages: { snip: { protectTokens: 0, retention: { default: { turns: undefined, ...usual }, tools } } },
  });

  it('keeps the results of a tool for some turns', async () => {
    const kept = await standing(retention({ weather: { turns: 2 } }, { turns: 50 }));
    expect(kept.filter((text) => text.startsWith('weather'))).toEqual(['weather of day 5, 0']);
    expect(kept.filter((text) => text.startsWith('other'))).toHaveLength(6);
  });

  it('keeps the newest results of a tool by count', async () => {
    const kept = await standing(retention({ search: { count: 3 } }, { turns: 50 }));
    expect(kept.filter((text) => text.startsWith('search'))).toEqual([
      'search of day 4, 2',
      'search of day 5, 1',
      'search of day 5, 2',
    ]);
  });

  it('has a default for all other tools, and keeps all results of a tool with `neverEvict`', async () => {
    const kept = await standing(
      retention({ skill: { neverEvict: true }, search: { turns: 1 } }, { turns: 1 }),
    );
    expect(kept).toEqual([0, 1, 2, 3, 4, 5].map((day) => `skill of day ${day}, 3`));
  });

  it('is three turns in the profile, three results for a search tool, and unlimited for skills', async () => {
    const kept = await standing({ stages: { snip: { protectTokens: 0 } } });
    expect(kept.filter((text) => text.startsWith('other'))).toEqual([
      'other of day 4, 4',
      'other of day 5, 4',
    ]);
    expect(kept.filter((text) => text.startsWith('search'))).toHaveLength(3);
    expect(kept.filter((text) => text.startsWith('skill'))).toHaveLength(6);
  });

  it('replaces an expired result by a short stub and keeps its call', async () => {
    const session = await reducer(1_000_000, { stages: { snip: { protectTokens: 0 } } });
    session.append(...read([...DAYS, user('And tomorrow?')]));
    const { messages } = await session.prepare();
    const sent = messages as Chat[];
    expect(sent[1]).toEqual(DAYS[1]);
    expect(sent[2]).toMatchObject({ role: 'tool', tool_call_id: DAYS[2]!.tool_call_id });
    expect(wordsOf(sent[2]!.content).length).toBeLessThan(120);
  });
});

describe('R5: a sliding window on plain dialogue', () => {
  const WINDOWED = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 100)];

  async function shown(dialogue: object) {
    const session = await sessionOf(100_000, WINDOWED, {
      target: 0,
      thresholds: { snipThreshold: 0.01 },
      minGain: 0,
      stages: { snip: { dialogue } },
    });
    const { view, messages } = await session.prepare();
    return { view, sent: messages.map(wordsOf) };
  }

  it('keeps the newest turns verbatim and replaces older messages by one summary', async () => {
    const { view, sent } = await shown({ turns: 5 });
    expect(view[2]!.message.label).toBe('summary');
    expect(sent.slice(3)).toEqual(WINDOWED.slice(-10).map(wordsOf));
  });

  it('keeps as many messages as fit into its tokens', async () => {
    const { sent } = await shown({ tokens: 1_000 });
    // Nine messages of 107 tokens fit into 1,000.
    expect(sent.slice(3)).toEqual(WINDOWED.slice(-9).map(wordsOf));
  });

  it('leaves tool exchanges alone', async () => {
    const chat = [
      user('Build a mill.'),
      ...step('Read', { path: 'a' }, `whatIsRead ${prose(100)}`),
      ...talk(20, 100),
      says('whatIsRead counts.'),
    ];
    const session = await sessionOf(100_000, chat, {
      target: 0,
      thresholds: { snipThreshold: 0.01 },
      minGain: 0,
      stages: { snip: { classes: [], dialogue: { turns: 2 } } },
    });
    const { messages } = await session.prepare();
    expect(messages.slice(0, 3)).toEqual(chat.slice(0, 3));
  });
});

describe('R7: collapse of the oldest span', () => {
  it('leaves the tail byte for byte', async () => {
    const session = await reducer(30_000);
    session.append(...read(TALK));
    fill(session, 0.93);
    const before = openaiChat.serialise(session.view).messages.map(wordsOf);
    const { messages, view } = await session.prepare();
    const at = view.findIndex(({ message }) => message.label === 'summary');
    // The first user message leaves too: the stable prefix is the system prompt and the summary.
    expect([at, view[at]!.from]).toEqual([1, 1]);
    const tail = messages.slice(2).map(wordsOf);
    expect(tail).toEqual(before.slice(-tail.length));
    expect(tail.length).toBeGreaterThan(10);
  });

  it('covers no more than necessary, and changes nothing after the span', async () => {
    // The window on dialogue is so wide that only the summary removes anything.
    const wide = { stages: { snip: { dialogue: { turns: 500 } } } };
    const whole = await reducer(1_000_000, wide);
    await whole.append(...read(TALK));
    // The talk alone fills the budget to 0.93, so that a part of it is enough.
    const session = await reducer(Math.floor(whole.reading.tokens / 0.93), wide);
    await session.append(...read(TALK));
    const { run, view } = await session.prepare();
    expect([run.kind, opened(run).at(-1)]).toEqual(['committed', 'auto']);
    const [summary, ...others] = view.filter(({ message }) => message.label === 'summary');
    expect(others).toEqual([]);
    const { from, to } = summary!;
    expect(from).toBe(1);
    // The newest messages, which are always kept, begin after that.
    expect(to).toBeLessThan(0.9 * session.log.length);
    const behind = view.filter(({ from: at }) => at > to).map(({ message }) => message.id);
    expect(behind).toEqual(times(session.log.length - to - 1, (i) => session.log.at(to + 1 + i).id));
  });

  it('happens in chunks, and every request in between only extends the last one', async () => {
    const session = await reducer(8_000);
    let last: string[] = [];
    let collapses = 0;
    let calls = 0;
    for await (const { prepared, run } of replaySession(
      session,
      read([system('Be brief.'), user('Go.'), ...talk(150, 100)]),
    )) {
      const sent = prepared!.messages.map(wordsOf);
      if (run === 'committed') collapses++;
      else expect(sent.slice(0, last.length)).toEqual(last);
      last = sent;
      calls++;
    }
    expect(collapses).toBeGreaterThan(1);
    // In chunks, not at every call.
    expect(collapses).toBeLessThan(calls / 5);
  });
});

describe('R9: the estimate of tokens', () => {
  const open = async (settings: object) => (await createSpillway({ settings })).session();

  it('comes from a real tokenizer if there is one, and from a heuristic otherwise', async () => {
    const text = 'The pressure gauge stands at 80 % of the reservoir.';
    const message = read([user(text)])[0]!;
    const exact = await open({ model: 'gpt-4o' });
    exact.append(message);
    // 12 tokens of o200k_base and 4 of the frame.
    expect(exact.reading.tokens).toBe(16);
    const guessed = await open({ model: 'gpt-4o', counter: 'heuristic' });
    guessed.append(message);
    expect(guessed.reading.tokens).toBeGreaterThanOrEqual(12);
    expect(guessed.reading.tokens).toBeLessThanOrEqual(20);
  });

  it('has a safety margin, except for a model with an exact tokenizer', async () => {
    const budgetOf = async (settings: object) =>
      (await open({ window: 100_000, reserve: { output: 0 }, ...settings })).reading.budget;
    expect((await budgetOf({ model: 'gpt-4o' })).tokens).toBe(100_000);
    expect((await budgetOf({ model: 'gpt-4o', counter: 'heuristic' })).tokens).toBe(95_000);
    expect((await budgetOf({ model: 'claude-sonnet-4-5' })).tokens).toBe(95_000);
    expect((await budgetOf({ model: 'claude-sonnet-4-5', safetyMargin: 0.1 })).reserve.safety).toBe(10_000);
  });

  it('is corrected by reported usage, which then decides when a session compacts', async () => {
    const session = await sessionOf(35_000, TALK);
    const { reading } = await session.prepare();
    expect(reading.basis).toBe('estimated');
    session.observe({
      inputTokens: Math.round(0.5 * reading.tokens * 1.3),
      cacheReadTokens: Math.round(0.5 * reading.tokens * 1.3),
    });
    expect(session.reading.pressure).toBeCloseTo(1.3 * reading.pressure, 2);
    expect(session.reading.basis).toBe('measured');
    const next = await session.prepare();
    expect(opened(next.run)[0]).toBe('snip');
  });
});

describe('R11: one total budget, with optional caps per tier that act earlier', () => {
  const FAT: Chat[] = [
    user('Look for stones.'),
    ...times(8, (i) => [
      callOf([[`c${i}`, 'search', { query: `${i}` }]]),
      resultOf(`c${i}`, prose(1_000, i)),
    ]),
    says('There are none.'),
    user('And now?'),
  ];

  it('does nothing below the first gate without a cap', async () => {
    const session = await sessionOf(20_000, FAT);
    expect((await session.prepare()).run.kind).toBe('below-gate');
    expect(session.reading.byToolResults).toBeUndefined();
  });

  it('removes tool results over a cap of 30 % until they fit, and no user message', async () => {
    const session = await sessionOf(20_000, FAT, { caps: { toolResults: 0.3 } });
    expect(session.reading).toMatchObject({
      byToolResults: expect.closeTo(8_000 / 6_000, 1),
      binding: 'toolResults',
    });
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(run.record!.plan.trigger.kind).toBe('cap');
    expect(session.reading.byToolResults).toBeLessThanOrEqual(1);
    const lengths = view
      .filter(({ message }) => message.role === 'tool')
      .map((message) => shownText(message).length);
    expect(new Set(lengths)).toEqual(new Set([4_000]));
    // No message of the user left for it.
    const gone = session.operator.explain().filter(({ status }) => status !== 'kept' && status !== 'pinned');
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.map(({ role }) => role)).not.toContain('user');
  });

  it('lets a cap win over the protection of the newest output', async () => {
    const session = await sessionOf(20_000, FAT, {
      caps: { toolResults: 0.1 },
      stages: { snip: { protectTokens: 40_000 } },
    });
    await session.prepare();
    expect(session.reading.byToolResults).toBeLessThanOrEqual(1);
  });
});
