import { createSpillway, definePlugin, openaiChat, openStore } from '../../src/index.js';
import type { Message, PressureEvent, Summarizer } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { started } from './service/support.js';
import { BUDGET, emulated, filling, loaded, pressed } from './summarizer.js';
import { prose, quarter, says, step, system, user, times } from '../support/chats.js';
import { engine, fill, read, sessionOf, shownText, talk, preparedAt } from './support.js';

/* Promises that one place in the sources keeps: a figure, a flag, an `await`. */

const TEXT = 'Written by the summarizer: the user wants a mill, and the agent has built most of it.';

/** A summarizer that answers each call with this text; a call without a text fails. */
const answering = (answer: (call: number) => string | undefined | Promise<string>): Summarizer => {
  let calls = 0;
  return {
    name: 'ours',
    endpoint: 'here',
    summarize: async () => {
      const text = await answer(++calls);
      if (text === undefined) throw new Error('no model today');
      return { text, finishReason: 'stop' };
    },
  };
};

it('S1: the gates are 0.80, 0.84, 0.88, 0.92, 0.95 and 0.98 by default', async () => {
  const { stages } = await createSpillway({ counter: quarter });
  expect(stages.map(({ name, opensAt }) => [name, opensAt])).toEqual([
    ['snip', 0.8],
    ['micro', 0.84],
    ['collapse', 0.88],
    ['auto', 0.92],
    ['partial', 0.95],
    ['full', 0.98],
  ]);
});

describe('S11: subscribers', () => {
  it('S11: get an event when a breaker becomes half-open, before its trial call', async () => {
    const emulator = await startEmulator('server-error');
    const session = await filling(emulator, {
      thresholds: { circuitBreakerFailures: 1, circuitBreakerCooldown: 0 },
    });
    const isHalfOpen = new Promise<void>((done) => {
      session.events.subscribe((event: PressureEvent) => {
        if (event.kind === 'breaker' && event.state === 'half-open') done();
      });
    });
    await pressed(session, 1);
    await isHalfOpen;
    expect(emulator.received).toHaveLength(1);
  });

  it('S11: see concurrent runs one after the other', async () => {
    const answers: ((text: string) => void)[] = [];
    const summarizer = answering(() => new Promise<string>((resolve) => answers.push(resolve)));
    const session = await sessionOf(BUDGET, [system('Be brief.')], { roster: ['auto'] }, { summarizer });
    loaded(session, 1);
    const heard: string[] = [];
    session.events.subscribe(({ kind }) => {
      if (['triggered', 'completed', 'noop'].includes(kind)) heard.push(kind);
    });
    const runs = [session.operator.compact({ target: 0.5 }), session.operator.compact({ target: 0.3 })];
    let isDone = false;
    const all = Promise.all(runs).then(() => (isDone = true));
    while (!isDone) {
      answers.shift()?.(TEXT);
      await new Promise((next) => setImmediate(next));
    }
    await all;
    expect(heard).toHaveLength(4);
    expect([heard[0], heard[2]]).toEqual(['triggered', 'triggered']);
  });
});

it('S11: a listener of the engine that throws is reported to the others, with its session', async () => {
  const spillway = await createSpillway({ counter: quarter });
  const told: unknown[] = [];
  spillway.events.subscribe(({ kind }) => {
    if (kind === 'reading') throw new Error('a bad listener');
  });
  spillway.events.subscribe((event) => told.push([event.kind, event.sessionId]));
  const session = spillway.session({ id: 'mill' });
  await session.append(...read([user('Build it.')]));
  await session.prepare();
  expect(told).toContainEqual(['listener-failed', 'mill']);
  expect(told).toContainEqual(['prepared', 'mill']);
});

it('a call that needs a store fails with STORE_UNKNOWN if there is none', async () => {
  const spillway = await createSpillway({ counter: quarter });
  await expect(spillway.open({ id: 'mill' })).rejects.toMatchObject({ code: 'STORE_UNKNOWN' });
  expect(() => spillway.store).toThrow(/STORE_UNKNOWN: store.*sqlite:FILE/s);
  expect(await spillway.projectCosts()).toEqual(spillway.costs);
});

it('R1: what a caller later does to a message does not change the log', async () => {
  const session = await sessionOf(20_000, [system('Be brief.')]);
  const part = { type: 'text' as const, text: 'Build a mill.' };
  const message = { id: 'mine', role: 'user', origin: 'user', parts: [part] } satisfies Message;
  session.append(message);
  part.text = 'Burn it down.';
  message.parts.push({ type: 'text', text: 'Now.' });
  expect(openaiChat.serialise(session.view).messages.at(-1)).toEqual(user('Build a mill.'));
  expect((await session.prepare()).messages.at(-1)).toEqual(user('Build a mill.'));
});

it('N5: the spent tokens include what a summarizer read, not only what it wrote', async () => {
  const emulator = await startEmulator();
  const session = await filling(emulator);
  const { record } = await pressed(session, 1);
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = record!.calls![0]!.usage!;
  expect(inputTokens).toBeGreaterThan(0);
  expect(session.operator.netCosts[0]!.spentTokens).toBe(inputTokens + cacheReadTokens + outputTokens);
});

it('N8: a secret that the log named once reaches no summarizer, even if it is repeated without its name', async () => {
  const emulator = await startEmulator();
  const session = await filling(emulator, { pins: { firstUser: false } });
  const secret = ['correcthorse', '7battery'].join('');
  session.append(
    ...read([
      user(`Go on. Set DB_PASSWORD=${secret} for it.`),
      ...step('shell', { command: 'connect' }, `connected with ${secret} as bob`),
      says(`I typed ${secret} and was let in.`),
    ]).map((one) => ({ ...one, id: `s${one.id}` })),
  );
  await pressed(session, 1);
  expect(emulator.received).toHaveLength(1);
  expect(emulator.received[0]!.text).toContain('and was let in.');
  expect(emulator.received[0]!.text).not.toContain(secret);
});

it('N11: a search returns no more passages than requested', async () => {
  const work = times(12, (i) => [
    ...step('read', { path: `m${i}.ts` }, `the keystone of arch ${i}\n${prose(250, i)}`),
    says(`Arch ${i} is read. ${prose(60, 40 + i)}`),
  ]);
  const session = await sessionOf(6_000, [
    system('Be brief.'),
    user('Look.'),
    ...work,
    ...talk(24, 110),
    user('So?'),
  ]);
  await session.prepare();
  const count = async (limit: number): Promise<number> =>
    (await session.recall({ query: 'keystone arch', limit, maxTokens: 8_000 })).length;
  expect(await count(10)).toBeGreaterThan(2);
  expect(await count(2)).toBeLessThanOrEqual(2);
});

it('K20: if one of several summaries fails, Spillway drops messages instead', async () => {
  const settings = { roster: [{ stage: 'partial', opensAt: 0.85 }], thresholds: { retainCount: 2 } };
  // The message that a plugin retains divides the removable messages into two spans.
  const keeps = definePlugin({
    name: 'keeps',
    observer: { preCompact: ({ messages }) => ({ retain: [messages[25]!.id] }) },
  });
  const summarizer = answering((call) => (call === 2 ? undefined : TEXT));
  const session = await sessionOf(20_000, [system('Be brief.'), user('Build.'), ...talk(27, 300)], settings, {
    profile: 'operator',
    summarizer,
    plugins: [keeps],
  });
  const { record } = (await preparedAt(session, 0.97)).run;
  expect(record!.calls!.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['failed', 'filled']));
  expect(record!.fallbacks).toContainEqual(expect.stringMatching(/^all: dropped/));
  expect(record!.plan.edits.map(({ stage }) => stage)).toContain('drop');
});

it('K22: the record of an approved plan contains the calls that the plan made', async () => {
  const settings = { roster: ['auto'], compaction: { approval: 'ask' as const } };
  const session = await sessionOf(BUDGET, [system('Be brief.')], settings, {
    summarizer: answering(() => TEXT),
  });
  loaded(session, 1);
  const pending = await session.prepare().then(
    ({ run }) => run.kind,
    (error: { code: string }) => error.code,
  );
  expect(['pending', 'COMPACTION_PENDING']).toContain(pending);
  const { calls } = await session.operator.approve();
  expect(calls).toHaveLength(1);
  expect(session.operator.netCosts).toHaveLength(1);
});

it('K15: the figures of a session count its fallbacks', async () => {
  const service = await started(BUDGET, { roster: ['auto'] }, { summarizer: answering(() => undefined) });
  const messages = [system('Be brief.'), user('Build.'), ...talk(19, 200), user('And now?')];
  await service.post('/sessions', { id: 'mill' });
  await service.post('/sessions/mill/prepare', { request: { model: 'm', messages } });
  const { body: history } = await service.get('/sessions/mill/compactions');
  const fallbacks = history.items.flatMap((record: { fallbacks?: string[] }) => record.fallbacks ?? []);
  expect(fallbacks.length).toBeGreaterThan(0);
  expect((await service.get('/sessions/mill')).body.fallbacks).toBe(fallbacks.length);
});

it('AC-01: a run that would free almost nothing commits nothing, even on request', async () => {
  const session = await sessionOf(20_000, [system('Be brief.'), user('Build.'), ...talk(40, 200)], {
    roster: ['auto'],
    stages: { auto: { windowMessages: 2 } },
  });
  fill(session, 0.82);
  const { kind, stages } = await session.operator.compact({ target: 0.8 });
  expect([kind, stages.at(-1)?.outcome]).toEqual(['noop', 'applied']);
  expect(session.operator.ledger.records).toEqual([]);
});

it('AC-10: tool definitions count in the bytes of a request', async () => {
  const tools = [{ type: 'function', function: { name: 'saw', description: 'x'.repeat(50_000) } }];
  const spillway = await engine(200_000, { limits: { bytes: 100_000 } });
  const [bare, tooled] = [spillway.session(), spillway.session({ tools })];
  for (const session of [bare, tooled]) session.append(...read([user('Build a mill.')]));
  expect(tooled.reading.bytes - bare.reading.bytes).toBeGreaterThanOrEqual(50_000);
  expect(tooled.reading.pressure).toBeGreaterThan(0.5);
  expect(shownText(tooled.view[0]!)).toBe('Build a mill.');
});

const LONG = [system('Be brief.'), user('Build.'), ...talk(40, 140), user('And now?')];
const REFUSAL = Object.assign(new Error('context_length_exceeded'), { status: 400 });

it('A10: a hook cannot skip the run after a refusal, even if the request would fit', async () => {
  const wary = definePlugin({
    name: 'wary',
    observer: { preCompact: () => ({ skip: 'a test is running' }) },
  });
  const session = await sessionOf(20_000, LONG, {}, { plugins: [wary] });
  await session.prepare();
  expect(session.reading.pressure).toBeLessThan(1);
  expect(await session.overflowed(REFUSAL)).toMatchObject({ retry: true, run: { kind: 'committed' } });
});

it('K2: a second refusal of the same request causes neither a compaction nor a retry', async () => {
  const session = await sessionOf(20_000, LONG);
  await session.prepare();
  expect(await session.overflowed(REFUSAL)).toMatchObject({ overflow: true, retry: true });
  await session.prepare();
  const before = session.operator.history.length;
  expect(await session.overflowed(REFUSAL)).toMatchObject({
    overflow: true,
    retry: false,
    reason: expect.stringContaining('again'),
  });
  expect(session.operator.history).toHaveLength(before);
});

it('K7: a message that arrives while a run waits for text enters the log after the run, once', async () => {
  let answer: (text: string) => void = () => undefined;
  let isAsked: () => void = () => undefined;
  const asking = new Promise<void>((done) => (isAsked = done));
  const summarizer = answering(() => {
    isAsked();
    return new Promise<string>((resolve) => (answer = resolve));
  });
  const session = await sessionOf(BUDGET, [system('Be brief.')], { roster: ['auto'] }, { summarizer });
  loaded(session, 1);
  const running = session.operator.compact({ target: 0.4 });
  await asking;
  const before = session.log.length;
  const arrival = session.append(...read([user('One more thing.')]).map((one) => ({ ...one, id: 'late' })));
  expect(session.log.length).toBe(before);
  answer(TEXT);
  const { record } = await running;
  await arrival;
  expect(record!.plan.inputs.logLength).toBe(before);
  expect(session.view.filter(({ source }) => source?.id === 'late')).toHaveLength(1);
  expect(session.log.length).toBe(before + 1);
});

it('K10: going back by one message undoes the compaction that included it', async () => {
  const session = await sessionOf(12_000, LONG);
  const { record } = await session.operator.compact({ target: 0.3 });
  const { logLength } = record!.plan.inputs;
  expect(await session.operator.rewind(logLength - 1)).toMatchObject([{ id: record!.id, status: 'undone' }]);
  expect(session.view.every(({ made }) => !made)).toBe(true);
});

it('K11: a replaced message is shown as it was written if superseded messages are included', async () => {
  const work = times(12, (i) => step('read', { path: `m${i}.ts` }, prose(800, i)));
  const session = await sessionOf(
    12_000,
    [system('Be brief.'), user('Look.'), ...work, says('So.'), user('And?')],
    { stages: { snip: { mode: 'stub' } }, roster: ['snip'] },
  );
  await session.prepare();
  const changed = session.operator.explain().find(({ status }) => status === 'replaced')!;
  const shown = async (includeSuperseded: boolean): Promise<Message> =>
    (await session.operator.transcript({ includeSuperseded })).find(
      ({ message }) => message.id === changed.id,
    )!.message;
  expect(await shown(true)).toEqual(session.log.at(changed.seq));
  expect(await shown(false)).not.toEqual(session.log.at(changed.seq));
});

it('K13: the event of a compaction contains the tokens before and after it', async () => {
  const session = await sessionOf(12_000, LONG);
  const { record } = await session.operator.compact({ target: 0.3 });
  const { before, after } = record!.plan;
  const [told] = (await session.operator.audit()).filter(({ kind }) => kind === 'compaction.completed');
  expect(after.tokens).toBeLessThan(before.tokens);
  expect(told!.body).toMatchObject({ tokensBefore: before.tokens, tokensAfter: after.tokens });
});

it('K14: after a restart each line has its own sums', async () => {
  const emulator = await startEmulator();
  const store = await openStore('memory:');
  const open = async () =>
    (await engine(BUDGET, emulated(emulator, { roster: ['auto'] }), { store })).open({ id: 'mill' });
  const first = await open();
  await first.append(...read([system('Be brief.')]));
  loaded(first, 1);
  await first.prepare();
  await first.observe({ inputTokens: 3_000, outputTokens: 7 });
  const { primary, compactor } = first.operator.costs;
  expect(primary).not.toEqual(compactor);
  const later = await open();
  await later.load();
  expect(later.operator.costs).toMatchObject({ primary, compactor });
});

it('O2: a marker whose compaction was committed has no effect after a restart', async () => {
  const store = await openStore('memory:');
  const open = async () => (await engine(20_000, {}, { store })).open({ id: 'mill' });
  const first = await open();
  await first.append(...read(LONG));
  await first.operator.queue({ auto: true });
  expect((await first.prepare()).run.kind).toBe('committed');
  const later = await open();
  await later.append(...read([user('Go on.')]).map((one) => ({ ...one, id: 'next' })));
  expect((await later.prepare()).run.kind).toBe('below-gate');
  await later.load();
  expect(later.operator.history).toHaveLength(1);
});

it('O8: a text is requested again if the facts for it have changed', async () => {
  const emulator = await startEmulator();
  let branch = 'roof';
  const settings = emulated(emulator, { roster: ['auto'] });
  const session = await sessionOf(BUDGET, [system('Be brief.')], settings, {
    summaryLines: () => [`Branch: ${branch}`],
  });
  loaded(session, 1);
  for (const next of ['roof', 'roof', 'cellar']) {
    branch = next;
    await session.operator.plan({ target: 0.4 });
  }
  expect(emulator.received.map(({ text }) => /Branch: (\w+)/.exec(text)![1])).toEqual(['roof', 'cellar']);
});

it('S3: protected newest output stays complete', async () => {
  const work = times(10, (i) => step('read', { path: `m${i}.ts` }, prose(900, i)));
  const session = await sessionOf(
    12_000,
    [system('Be brief.'), user('Look.'), ...work, says('So.'), user('And?')],
    { roster: ['micro'], stages: { micro: { protectTokens: 3_000 } } },
  );
  await session.operator.compact({ target: 0.05 });
  const results = session.operator.explain().filter(({ role }) => role === 'tool');
  const isWhole = results.map(({ status }) => status === 'kept');
  expect(isWhole.slice(-3)).toEqual([true, true, true]);
  expect(isWhole.slice(0, 6)).toEqual(times(6, () => false));
});
