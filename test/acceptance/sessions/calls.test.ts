import { createSpillway, openStore, withoutHostTrimming, type Session } from '../../../src/index.js';
import { prose, quarter, says, step, system, user } from '../../support/chats.js';
import { engine, read, said, sessionOf, shownText, talk } from '../support.js';

const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
const refusal = (limit: number) => new Error(`prompt is too long: ${2 * limit} tokens > ${limit} maximum`);

describe('K2: the provider says that the context is too long', () => {
  const half = (): Promise<Session> => sessionOf(20_000, [...START, ...talk(40, 140), user('And now?')]);

  it('compacts and retries once, and keeps the error out of view and history', async () => {
    const session = await half();
    const sent: number[] = [];
    const answer = await session.call((request) => {
      sent.push(request.reading.tokens);
      if (sent.length === 1) throw Object.assign(new Error('context_length_exceeded'), { status: 400 });
      return 'done';
    });
    expect(answer).toBe('done');
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBeLessThan(sent[0]!);
    expect(session.operator.history.map(({ plan }) => plan.trigger.kind)).toEqual(['overflow']);
    const everything = JSON.stringify([session.view, session.operator.history]);
    expect(everything).not.toContain('context_length_exceeded');
  });

  it('never retries twice', async () => {
    const session = await half();
    let calls = 0;
    const refused = session.call(() => {
      calls++;
      throw new Error('context_length_exceeded');
    });
    await expect(refused).rejects.toThrow('context_length_exceeded');
    expect(calls).toBe(2);
    // After a call that succeeded there is one retry again.
    await session.prepare();
    await session.observe({ inputTokens: 5_000 });
    expect(await session.overflowed(new Error('prompt is too long'))).toMatchObject({ overflow: true });
  });

  it('does not retry if nothing was gained', async () => {
    const session = await sessionOf(20_000, [system('Be brief.'), user(prose(2_000))]);
    let calls = 0;
    const refused = session.call(() => {
      calls++;
      throw new Error('context_length_exceeded');
    });
    await expect(refused).rejects.toThrow('context_length_exceeded');
    expect(calls).toBe(1);
    expect(session.operator.history).toEqual([]);
  });

  it('passes on other errors, also rate limits that name tokens', async () => {
    const session = await half();
    const limit = Object.assign(new Error('Rate limit: tokens per min (TPM) exceeded'), { status: 429 });
    await expect(session.call(() => Promise.reject(limit))).rejects.toBe(limit);
    expect(session.operator.history).toEqual([]);
  });

  it('keeps a learned limit, and applies it to all later sessions once two sessions have learned it', async () => {
    const store = await openStore('memory:');
    const options = {
      counter: quarter,
      model: 'our-model',
      settings: { models: { 'our-model': { contextWindow: 200_000, outputLimit: 4_000 } }, safetyMargin: 0 },
      store,
    };
    const spillway = await createSpillway(options);
    const session = await spillway.open({ id: 'a' });
    await session.append(...read([...START, ...talk(40, 140)]));
    const before = session.reading.budget.tokens;
    await session.prepare();
    expect(await session.overflowed(refusal(8_000))).toMatchObject({ overflow: true, retry: true });
    expect(session.reading.budget.usable).toBe(6_000);
    expect(session.reading.tokens).toBeLessThanOrEqual(8_000);
    const again = await (await createSpillway(options)).open({ id: 'a' });
    expect(again.reading.budget.usable).toBe(6_000);
    // Only one session has learned it: the next one is not bound by it until it learns the same.
    const other = await (await createSpillway(options)).open({ id: 'b' });
    expect(other.reading.budget.tokens).toBe(before);
    await other.append(...read([...START, ...talk(40, 140)]));
    await other.prepare();
    expect(await other.overflowed(refusal(8_000))).toMatchObject({ learned: { contextWindow: 8_000 } });
    const later = await (await createSpillway(options)).open({ id: 'c' });
    expect(later.reading.budget.usable).toBe(6_000);
    expect(before).toBeGreaterThan(100_000);
    expect(later.reading.budget.derivation.join()).toContain('learned');
  });
});

describe('K25: trimming by the host or upstream', () => {
  const sent = async (reported: number) => {
    const session = await sessionOf(20_000, [...START, ...talk(30, 100)]);
    const { reading } = await session.prepare();
    await session.observe({ inputTokens: Math.round(reported * reading.tokens) });
    return { session, what: (await session.operator.audit()).map(({ kind }) => kind) };
  };

  it('is detected from usage far below what was sent, and reported, and does not change the scale', async () => {
    const { session, what } = await sent(0.3);
    expect(what).toEqual(['compaction.trimmed-upstream']);
    expect(session.reading.scale).toBe(1);
  });

  it('is switched off if a request asks for it, and nothing else in the request is changed', () => {
    const body = { model: 'm', truncation: 'auto', transforms: ['middle-out', 'other'], input: [{ a: 1 }] };
    const { body: changed, switchedOff } = withoutHostTrimming(body);
    expect(changed).toEqual({ model: 'm', truncation: 'disabled', transforms: ['other'], input: [{ a: 1 }] });
    expect([...switchedOff].sort()).toEqual(['transforms: middle-out', 'truncation: auto']);
    expect(body.truncation).toBe('auto');
    const plain = { model: 'm', truncation: 'disabled' };
    expect(withoutHostTrimming(plain)).toEqual({ body: plain, switchedOff: [] });
  });

  it('is detected from usage above the window', async () => {
    expect((await sent(4)).what).toEqual(['compaction.over-window']);
  });

  it('is not suspected if counting explains the figure, or if nothing is reported', async () => {
    expect((await sent(0.7)).what).toEqual([]);
    expect((await sent(0)).what).toEqual([]);
  });
});

describe('R2: injection is separate', () => {
  const found = step('look', {}, 'In the box.');
  const settings = { reserve: { output: 0, injection: 500 } };
  const build = () => sessionOf(10_000, [...START, user('Where is the key?'), ...found], settings);

  it('keeps the reserve free of the budget', async () => {
    expect((await build()).reading.budget.tokens).toBe(9_500);
  });

  it('puts injected content next to the newest user message, and not into the log', async () => {
    const session = await build();
    const inject = [{ hook: 'memory', content: 'The user likes oak.' }];
    const { messages, view } = await session.prepare({ inject });
    const said = (messages as { role: string; content: string }[]).map(({ content }) => content);
    expect(said.slice(3, 5)).toEqual(['Where is the key?', 'The user likes oak.']);
    expect(view.filter(({ message }) => message.label === 'injected')).toHaveLength(1);
    expect(session.log.length).toBe(6);
    // The next request without it is as if it had never been injected.
    const plain = await session.prepare();
    const never = await (await build()).prepare();
    expect(plain.messages).toEqual(never.messages);
  });

  it('refuses content over its reserve, and names the hook', async () => {
    const session = await build();
    const inject = [
      { hook: 'memory', content: prose(300) },
      { hook: 'search', content: prose(300) },
    ];
    await expect(session.prepare({ inject })).rejects.toMatchObject({
      code: 'INJECTION_TOO_LARGE',
      facts: { hook: 'search' },
    });
    const own = [{ hook: 'memory', content: prose(50), maxTokens: 20 }];
    await expect(session.prepare({ inject: own })).rejects.toMatchObject({
      facts: { hook: 'memory', allowed: 20 },
    });
    const none = [{ hook: 'memory', content: prose(800), maxTokens: NaN }];
    await expect(session.prepare({ inject: none })).rejects.toMatchObject({ code: 'INJECTION_TOO_LARGE' });
  });

  it('does not start a compaction for injected content', async () => {
    const session = await build();
    const { run } = await session.prepare({ inject: [{ hook: 'memory', content: prose(450) }] });
    expect(run.kind).toBe('below-gate');
  });
});

it('AC-05: a switch to a smaller model compacts before the next call, not after a refusal', async () => {
  const spillway = await createSpillway({
    counter: quarter,
    model: 'large',
    settings: {
      models: {
        large: { contextWindow: 400_000, outputLimit: 4_000 },
        small: { contextWindow: 16_000, outputLimit: 4_000 },
      },
      safetyMargin: 0,
    },
  });
  const session = spillway.session();
  await session.append(...read([...START, ...talk(100, 100)]));
  expect((await session.prepare()).run.kind).toBe('below-gate');
  const { run, reading } = await session.prepare({ model: 'small' });
  expect(run.kind).toBe('committed');
  expect(reading.tokens).toBeLessThanOrEqual(12_000);
  expect((await session.prepare({ model: 'large' })).reading.budget.usable).toBe(396_000);
});

describe('K4: each agent path has its own window, settings, ledger and events', () => {
  const settings = {
    agents: {
      primary: { target: 0.5, compaction: { auto: false } },
      'primary/reviewer': { window: 8_000, reserve: { output: 0 }, compaction: { auto: true } },
    },
  };

  it('inherits settings from its parent key by key, and compacts only itself', async () => {
    const spillway = await engine(20_000, settings);
    const parent = spillway.session({ id: 's' });
    const child = spillway.session({ id: 's', agentPath: 'primary/reviewer' });
    expect([parent, child].map(({ reading }) => reading.budget.tokens)).toEqual([20_000, 8_000]);
    const chat = read([...START, ...talk(40, 100)]);
    const events: string[] = [];
    parent.events.subscribe(() => events.push('parent'));
    child.events.subscribe(({ kind }) => events.push(kind));
    await Promise.all([parent.append(...chat), child.append(...chat)]);
    const { run, reading } = await child.prepare();
    expect(run.kind).toBe('committed');
    // The parent's target, which the child does not set.
    expect(reading.pressure).toBeLessThanOrEqual(0.5);
    expect(parent.operator.history).toEqual([]);
    expect(events).toContain('completed');
    expect(events).not.toContain('parent');
    parent.append(said('more', prose(11_000)));
    expect((await parent.prepare()).run.kind).not.toBe('committed');
  });

  it('is named if its settings are invalid', async () => {
    await expect(engine(20_000, { agents: { primary: { target: 7 } } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('agents.primary.target'),
    });
  });

  it('keeps the result of a child verbatim if its tool is pinned', async () => {
    const report = `Findings: ${prose(300, 7)}`;
    const chat = [...START, ...step('task', { agent: 'reviewer' }, report), ...talk(80, 100), user('So?')];
    const kept = await sessionOf(8_000, chat, { pins: { tools: ['task'] } });
    await kept.prepare();
    expect(kept.view.map(shownText)).toContain(report);
    const gone = await sessionOf(8_000, chat);
    await gone.prepare();
    expect(gone.view.map(shownText)).not.toContain(report);
  });
});

it('AC-21: a sub-agent is measured by its own window, and has its own ledger and breakers, on one store too', async () => {
  const store = await openStore('memory:');
  const spillway = await engine(
    100_000,
    { agents: { 'primary/reviewer': { window: 8_000, reserve: { output: 0 } } } },
    { store },
  );
  const parent = await spillway.open({ id: 's' });
  const child = await spillway.open({ id: 's', agentPath: 'primary/reviewer' });
  const chat = read([...START, ...talk(40, 100)]);
  await parent.append(...chat);
  await child.append(...chat);
  expect((await parent.prepare()).run.kind).toBe('below-gate');
  expect((await child.prepare()).run.kind).toBe('committed');
  expect(parent.operator.ledger.records).toEqual([]);
  expect(parent.operator.breakers).not.toBe(child.operator.breakers);
  expect(
    (await store.threads({ sessionId: 's' })).map(({ agentPath, head }) => [agentPath, head.entries]),
  ).toEqual(
    expect.arrayContaining([
      ['primary', 0],
      ['primary/reviewer', 1],
    ]),
  );
});

it('K1: each agent opens at its own upper threshold, and goes on to the lower one', async () => {
  const upper = 0.95;
  const gates = {
    snipThreshold: upper,
    microThreshold: upper,
    collapseThreshold: upper,
    autoThreshold: upper,
  };
  const late = { ...gates, partialThreshold: upper, fullThreshold: 0.98 };
  const agents = { 'primary/patient': { thresholds: late } };
  const spillway = await engine(10_000, { agents }, { profile: 'operator' });
  const chat = read([...START, ...talk(43, 100)]);
  const [own, patient] = await Promise.all(
    ['primary', 'primary/patient'].map(async (agentPath) => {
      const session = spillway.session({ agentPath });
      await session.append(...chat);
      expect(session.reading.pressure).toBeGreaterThan(0.85);
      expect(session.reading.pressure).toBeLessThan(upper);
      const { run, reading } = await session.prepare();
      return { kind: run.kind, pressure: reading.pressure };
    }),
  );
  expect(own!.kind).toBe('committed');
  expect(own!.pressure).toBeLessThanOrEqual(0.6);
  expect(patient!.kind).toBe('below-gate');
});

describe('work that is asked for within a call and would wait for that call', () => {
  const opened = () => sessionOf(12_000, [...talk(8, 110), user('And now?')]);
  const refused = { code: 'CALL_WITHIN_CALL' };

  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['a call', (session) => session.call(() => 1)],
    ['a turn', (session) => session.turn(() => Promise.resolve(1))],
    ['a compaction', (session) => session.operator.compact()],
  ])('%s: is refused, and nothing hangs', async (_, ask) => {
    const session = await opened();
    await expect(session.call(() => ask(session))).rejects.toMatchObject(refused);
    await expect(
      session.turn((flight) => flight.again(() => Promise.resolve().then(() => ask(session)))),
    ).rejects.toMatchObject(refused);
    const other = await opened();
    await expect(session.call(() => other.call(() => ask(session)))).rejects.toMatchObject(refused);
    expect(await session.call(() => 2)).toBe(2);
  });

  it('is done if the call is over by then, or if it was asked for next to calls', async () => {
    const session = await opened();
    let later: Promise<number> | undefined;
    let over = (): void => undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    await session.call(() => {
      later = ended.then(() => session.call(() => 3));
    });
    over();
    expect(await later).toBe(3);
    const [first, compacted, second] = await Promise.all([
      session.call(() => 4),
      session.operator.compact({ target: 0.01 }),
      session.call(() => 5),
    ]);
    expect([first, compacted.kind, second]).toEqual([4, 'committed', 5]);
    expect(await session.turn(async () => (await session.operator.compact()).kind)).toBe('noop');
  });
});
