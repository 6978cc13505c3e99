import type { Summarizer } from '../../src/index.js';
import { GOOD, startEmulator } from '../emulator/index.js';
import { BUDGET, emulated, filling, pressed, summariesOf } from './summarizer.js';
import { prose, says, step, system, user } from '../support/chats.js';
import { engine, preparedAt, read, sessionOf, shownText, talk, writer } from './support.js';

const results = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, i) => step('read', { path: `src/m${i}.ts` }, prose(tokens, i))).flat();

describe('S3: micro has one light call per large result', () => {
  it('makes one request for each result, no more at a time than `fill.concurrency`', async () => {
    const emulator = await startEmulator('slow');
    const settings = emulated(emulator, { roster: ['micro'], fill: { concurrency: 3 } });
    const session = await sessionOf(
      BUDGET,
      [system('Be brief.'), user('Read all.'), ...results(12, 500)],
      settings,
    );
    const { run } = await preparedAt(session, 0.9);
    const lines = session.view.map(shownText).filter((text) => text.includes('condensed by emulated; '));
    expect(lines.length).toBeGreaterThan(4);
    expect(lines[0]).toContain(GOOD);
    expect(emulator.received).toHaveLength(lines.length);
    expect(new Set(run.calls!.map(({ handle }) => handle)).size).toBe(lines.length);
    expect(emulator.peak).toBe(3);
  });

  it('keeps one line for each result, even if the model writes several', async () => {
    const text = 'The module exports a wheel.\n\n- it turns left\n- it has 12 paddles';
    const { summarizer } = writer(() => text);
    const chat = [system('Be brief.'), user('Read all.'), ...results(12, 500)];
    const session = await sessionOf(BUDGET, chat, { roster: ['micro'] }, { summarizer });
    await preparedAt(session, 0.9);
    const lines = session.view.map(shownText).filter((shown) => shown.includes('12 paddles'));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines)
      expect(line).toMatch(/; \S+\] The module exports a wheel\. - it turns left - it has 12 paddles$/);
  });
});

describe.each([
  ['S5: auto', 'auto', 0.93],
  ['S6: partial', 'partial', 0.96],
  ['S7: full', 'full', 0.99],
])('%s with a summary by a model', (_, stage, pressure) => {
  it('uses the answer of the model and stays within the budget', async () => {
    const emulator = await startEmulator();
    const session = await sessionOf(
      BUDGET,
      [system('Be brief.'), ...talk(16, 200)],
      emulated(emulator, { roster: [stage] }),
    );
    const { run, reading } = await preparedAt(session, pressure);
    expect(run.record!.fallbacks).toEqual([]);
    expect(emulator.received).toHaveLength(1);
    expect(summariesOf(session)).toEqual([expect.stringContaining(GOOD)]);
    expect(reading.pressure).toBeLessThan(0.9);
    expect(run.record!.plan.after.tokens).toBe(session.view.reduce((sum, { size }) => sum + size.tokens, 0));
  });
});

it('K14: compaction and agent have separate lines of spending, which an undo does not reduce', async () => {
  const emulator = await startEmulator();
  const model = 'gpt-4o-mini';
  const session = await filling(emulator, { model, summarizerModel: { model, baseUrl: emulator.url } });
  expect(session.operator.costs).toMatchObject({
    primary: { calls: 0, cost: 0 },
    compactor: { calls: 0, cost: 0 },
  });
  await pressed(session, 1);
  session.observe({ inputTokens: 1_000, cacheReadTokens: 500, outputTokens: 100 });
  const first = session.operator.costs;
  expect(first.primary).toMatchObject({ calls: 1, inputTokens: 1_000, cacheReadTokens: 500, unpriced: 0 });
  expect(first.primary.cost).toBeGreaterThan(0);
  expect(first.compactor).toMatchObject({
    calls: 1,
    inputTokens: 800,
    cacheReadTokens: 200,
    outputTokens: 50,
  });
  expect(first.compactor.cost).toBeGreaterThan(0);
  session.operator.undo();
  expect(session.operator.costs).toEqual(first);
});

it('K20: if summarizing first fails, drop runs without an error to the caller, with the reason on record', async () => {
  const summarizer: Summarizer = {
    name: 'broken',
    endpoint: 'here',
    summarize: () => {
      throw new Error('Secret cause');
    },
  };
  const spillway = await engine(BUDGET, {}, { profile: 'operator', summarizer });
  const session = spillway.session();
  session.append(...read([system('Be brief.'), user('Build.'), ...talk(16, 200)]));
  const { run, reading } = await preparedAt(session, 0.99);
  expect(run.kind).toBe('committed');
  expect(reading.pressure).toBeLessThanOrEqual(1);
  expect(run.record!.fallbacks).toEqual([
    expect.stringMatching(/^auto m.*: the summarizer threw$/),
    expect.stringMatching(/^all: dropped/),
  ]);
  expect(run.record!.calls).toEqual([expect.objectContaining({ outcome: 'failed', cost: null })]);
  expect(JSON.stringify([run, session.view])).not.toContain('Secret cause');
});

it('A3: the source of a summary has no reasoning, and its tool results are cut to the set length', async () => {
  const emulator = await startEmulator();
  const spillway = await engine(BUDGET, emulated(emulator), { profile: 'agent' });
  const session = spillway.session();
  const chat = [system('Be brief.'), user('Read all.'), ...results(10, 500), ...talk(4, 60)];
  session.append(
    ...read(chat).map((message) =>
      message.role === 'assistant'
        ? { ...message, parts: [{ type: 'reasoning' as const, text: 'PRIVATE THOUGHT' }, ...message.parts] }
        : message,
    ),
  );
  await preparedAt(session, 0.9);
  const { text } = emulator.received[0]!;
  expect(text).not.toContain('PRIVATE THOUGHT');
  expect(text).toContain('1800 characters left out');
  expect(text).toMatch(/calls read with/);
});

it('A3: half a character is sent to the summarizer as a replacement character', async () => {
  const emulator = await startEmulator();
  const chat = [system('Be brief.'), user('Half a face: \ud83d'), ...talk(16, 200)];
  const session = await sessionOf(BUDGET, chat, emulated(emulator, { roster: ['full'] }));
  await preparedAt(session, 0.99);
  const { messages } = emulator.received[0]!.body as { readonly messages: readonly { content: string }[] };
  const [said] = messages.map(({ content }) => content).filter((content) => content.includes('Half a face'));
  expect(said).toContain('Half a face: \ufffd');
  expect(said!.isWellFormed()).toBe(true);
});

describe.each([
  ['openai-compatible', undefined],
  ['openai', 'KEY'],
  ['anthropic', 'KEY'],
] as const)('O3: a summarizer without tools, over %s', (provider, apiKeyEnv) => {
  it('uses its own model, or else the model of the session', async () => {
    const emulator = await startEmulator();
    const open = async (model: string | undefined) => {
      const summarizerModel = {
        provider,
        baseUrl: emulator.url,
        ...(model && { model }),
        ...(apiKeyEnv && { apiKeyEnv }),
      };
      const session = await filling(
        emulator,
        { model: 'the-session-s', summarizerModel },
        { env: { KEY: 'k' } },
      );
      await pressed(session, 1);
      expect(summariesOf(session)[0]).toContain(GOOD);
    };
    await open('its-own');
    await open(undefined);
    expect(emulator.received.map(({ body }) => body['model'])).toEqual(['its-own', 'the-session-s']);
    for (const { body } of emulator.received)
      for (const key of ['tools', 'tool_choice', 'functions']) expect(body).not.toHaveProperty(key);
  });
});

it('O4: the summary is an assistant message with a label, and an event reports the completed compaction', async () => {
  const emulator = await startEmulator();
  const session = await filling(emulator);
  const completed: unknown[] = [];
  session.events.subscribe((event) => event.kind === 'completed' && completed.push(event));
  const { record } = await pressed(session, 1);
  const summary = session.view.find(({ message }) => message.label === 'summary')!.message;
  expect(summary).toMatchObject({ role: 'assistant', origin: 'synthetic', label: 'summary' });
  expect(completed).toEqual([expect.objectContaining({ recordId: record!.id })]);
  expect(record!.calls).toEqual([
    expect.objectContaining({ outcome: 'filled', model: 'emulated', prompt: 'auto' }),
  ]);
});

describe('N9: no drift', () => {
  it('derives each summary from the originals, and keeps its size over 34 compactions', async () => {
    const emulator = await startEmulator('oversized');
    const session = await filling(emulator);
    const sizes: number[] = [];
    for (let round = 1; round <= 34; round++) {
      await pressed(session, round);
      const summaries = session.view.filter(({ message }) => message.label === 'summary');
      sizes.push(summaries.reduce((sum, { size }) => sum + size.tokens, 0));
    }
    expect(session.operator.history).toHaveLength(34);
    // A digest takes the room that is free. It varies with fresh output, but the largest size stays the same.
    const [early, late] = [sizes.slice(2, 12), sizes.slice(-10)].map((some) => Math.max(...some));
    expect(Math.abs(late! - early!)).toBeLessThanOrEqual(0.02 * early!);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(0.35 * BUDGET);
    for (const { text } of emulator.received) {
      expect(text).not.toContain('Summary of');
      expect(text).toContain('Language of the record: English.');
    }
  });

  it('N9: continues a summary from the last one as often as is set, then from the originals', async () => {
    const wrote: string[] = [];
    const { summarizer, asked } = writer((_, nth) => {
      wrote.push(`Record ${nth}: the wheel of the mill was turned and it went well.`);
      return wrote.at(-1)!;
    });
    const depths: (number | undefined)[][] = [];
    for (const generations of [0, 2]) {
      asked.length = 0;
      wrote.length = 0;
      const settings = { roster: ['auto'], fill: { generations } };
      const session = await sessionOf(BUDGET, [system('Be brief.')], settings, { summarizer });
      const met: (number | undefined)[] = [];
      for (let round = 1; round <= 7; round++) {
        await pressed(session, round);
        met.push(session.view.find(({ message }) => message.label === 'summary')?.message.generation);
        const { previous, source } = asked.at(-1)!;
        // It continues from the last summary, and messages that this replaces are not shown again.
        if (met.at(-1) === 0) expect(previous).toBeUndefined();
        else expect(previous).toBe(wrote.at(-2));
        expect(source.join().includes('id="r1m1"')).toBe(met.at(-1) === 0);
      }
      depths.push(met);
    }
    expect(depths).toEqual([
      [0, 0, 0, 0, 0, 0, 0],
      [0, 1, 2, 0, 1, 2, 0],
    ]);
  });

  const GERMAN =
    'Das Rad der Mühle wurde gedreht, und es ist gut gelaufen. Der Benutzer will, dass die Schnittstelle nicht geändert wird, und auch der Dienst soll so bleiben, wie er ist.';
  const ENGLISH =
    'The wheel of the mill was turned and it went well. The user wants that the interface is not changed, and the service is to stay as it is, with all of its parts and for all of the clients.';

  it.each([
    ['is asked for again, and taken', [ENGLISH, GERMAN], ['refused', 'filled'], GERMAN],
    ['twice: our own text stands', [ENGLISH, ENGLISH], ['refused', 'refused'], undefined],
    [
      'that quotes and names things is taken',
      [`${GERMAN}\n- "${ENGLISH}"\n- \`if the value is not in the list\``],
      ['filled'],
      GERMAN,
    ],
    ['that is too short to tell is taken', ['Wheel turned.'], ['filled'], 'Wheel turned.'],
  ])('N9: an answer in another language %s', async (_, answers, outcomes, stands) => {
    const { summarizer, asked } = writer((_, nth) => answers[nth - 1]!);
    const words = 'Bitte dreh das Rad der Mühle, und mach nicht alle Teile neu, aber sag mir, wie es ist.';
    const chat = Array.from({ length: 24 }, (_, i) => [user(`${words} ${i}`), says(prose(250, i))]).flat();
    const session = await sessionOf(
      BUDGET,
      [system('Be brief.'), ...chat],
      { roster: ['auto'] },
      { summarizer },
    );
    const { record } = await session.operator.compact({ target: 0.5 });
    expect(asked[0]!.language).toBe('German');
    expect(record!.calls!.map(({ outcome }) => outcome)).toEqual(outcomes);
    const [shown] = summariesOf(session);
    if (stands) expect(shown).toContain(stands);
    else {
      expect(session.view.map(shownText).join()).not.toContain(ENGLISH);
      expect((record!.fallbacks ?? []).join()).toContain('is in English, not in German');
    }
    if (outcomes[0] === 'refused') {
      expect(record!.calls![0]!.reason).toBe('the answer is in English, not in German');
      expect(asked[1]!.instruction).toContain('Write in German.');
    }
  });
});

it.each([
  ['window', NaN],
  ['outputLimit', 0],
] as const)('A3: a host’s summarizer whose %s is %d is refused at start', async (limit, found) => {
  const { summarizer } = writer(() => 'Never asked.', { [limit]: found });
  await expect(engine(BUDGET, {}, { profile: 'operator', summarizer })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`summarizer ours, ${limit}; found ${found}`),
  });
});
