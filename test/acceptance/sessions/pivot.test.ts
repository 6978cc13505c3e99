import { openStore, type Session, type SessionStore } from '../../../src/index.js';
import { prose, says, system, user, times } from '../../support/chats.js';
import { engine, read, sessionOf, shownText, talk, said, logged } from '../support.js';
import { KINDS, place } from './stores.js';

const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
const CHAT = [...START, ...talk(30, 100)];

const openOn = async (store: SessionStore, settings = {}, budget = 12_000): Promise<Session> =>
  (await engine(budget, settings, { store })).open({ id: 's' });

describe('O2: a compaction is queued as a marker in the log', () => {
  it('is executed once, by the next call, and the model never sees the marker', async () => {
    const session = await sessionOf(12_000, [...CHAT, user('And now?')]);
    await session.operator.queue();
    expect(session.log.at(session.log.length - 1).parts).toEqual([
      { type: 'marker', marker: 'compaction', auto: false },
    ]);
    expect(session.operator.history).toEqual([]);
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(run.record!.plan.trigger).toMatchObject({
      kind: 'manual',
      detail: expect.stringContaining('queued'),
    });
    expect((messages as { content: string }[]).at(-1)!.content).toBe('And now?');
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it.each(KINDS)('is found again after a restart (%s)', async (kind) => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await session.append(...read([...CHAT, user('And now?')]));
    await session.prepare();
    // The provider reports more than its window. The process ends before the next call.
    await session.observe({ inputTokens: 13_000, outputTokens: 10 });
    const later = await openOn(await again());
    const { run } = await later.prepare();
    expect(run.record?.plan.trigger).toMatchObject({
      kind: 'overflow',
      detail: expect.stringContaining('queued'),
    });
    const third = await openOn(await again());
    expect((await third.prepare()).run.kind).toBe('below-gate');
  });
});

it('O2: a client that sends its complete history does not take the marker back, and its next call executes it', async () => {
  const session = (await engine(12_000)).session();
  const history = [...CHAT];
  await session.follow({ messages: history });
  await session.operator.queue();
  history.push(user('And now?'));
  const { rewound } = await session.follow({ messages: history });
  expect(rewound).toBeUndefined();
  const { run } = await session.prepare();
  expect(run.record?.plan.trigger).toMatchObject({
    kind: 'manual',
    detail: expect.stringContaining('queued'),
  });
  await session.continue();
  const told = [...history, says('Yes.'), user('Good.')];
  expect((await session.follow({ messages: told })).rewound).toBeUndefined();
  expect((await session.prepare()).messages.map((message) => JSON.stringify(message)).join()).toContain(
    'Continue if you have next steps.',
  );
});

describe('O5: after an automatic compaction the agent may get a message to go on', () => {
  const stalled = async (policy: 'off' | 'ask' | 'on') => {
    const session = await sessionOf(12_000, [...START, ...talk(48, 110)], {
      compaction: { continue: policy },
    });
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('committed');
    return { session, run, last: shownText(view.at(-1)!) };
  };

  it('on: by a synthetic user message', async () => {
    const { run, last, session } = await stalled('on');
    expect([run.continue, last]).toEqual(['told', 'Continue if you have next steps.']);
    expect(session.log.at(session.log.length - 1).origin).toBe('synthetic');
  });

  it('ask: by the host, if it calls continue; off: not at all', async () => {
    const asked = await stalled('ask');
    expect(asked.run.continue).toBe('ask');
    expect(asked.last).not.toContain('Continue');
    await asked.session.continue();
    expect(shownText(asked.session.view.at(-1)!)).toContain('Continue');
    expect((await stalled('off')).run.continue).toBeUndefined();
  });

  it('never if a user waits for an answer, after a manual compaction, or after one that came to nothing', async () => {
    const settings = { compaction: { continue: 'on' } } as const;
    const waiting = await sessionOf(12_000, [...START, ...talk(48, 110), user('And now?')], settings);
    expect((await waiting.prepare()).run).toMatchObject({ kind: 'committed' });
    expect(waiting.log.length).toBe(100);
    const manual = await sessionOf(12_000, CHAT, settings);
    await manual.operator.compact({ target: 0.2 });
    await manual.prepare();
    expect(manual.log.length).toBe(CHAT.length);
    const queued = await sessionOf(12_000, [...START, ...talk(48, 110)], settings);
    await queued.operator.queue();
    expect((await queued.prepare()).run).toMatchObject({ kind: 'committed' });
    expect(queued.log.length).toBe(START.length + 96 + 1);
    const nothing = await sessionOf(12_000, START, settings);
    await nothing.operator.queue({ auto: true });
    await nothing.prepare();
    expect(nothing.log.length).toBe(START.length + 1);
  });
});

describe('O6: a request begins at the newest pivot', () => {
  const pivoted = async (): Promise<Session> => {
    const session = await sessionOf(12_000, [...START, ...talk(55, 110)], {}, { profile: 'pivot' });
    await session.prepare();
    return session;
  };
  const summaries = (session: Session): number =>
    session.view.filter(({ message }) => message.label === 'summary').length;

  it('with one summary, and with no older message but the system prompt', async () => {
    const session = await pivoted();
    expect(summaries(session)).toBe(1);
    const pivot = session.view.findIndex(({ message }) => message.label === 'summary');
    expect(session.view.slice(0, pivot).map(({ message }) => message.role)).toEqual(['system']);
    await session.append(
      ...read([...START, ...talk(55, 110, 500)])
        .slice(3)
        .map((one, i) => ({ ...one, id: `n${i}` })),
    );
    await session.prepare();
    expect(session.operator.history.length).toBe(2);
    expect(summaries(session)).toBe(1);
  });

  it('with the complete log again if the only pivot is undone', async () => {
    const session = await pivoted();
    await session.operator.undo();
    expect(summaries(session)).toBe(0);
    expect(session.view.length).toBe(session.log.length);
  });
});

describe('K7: compaction happens between calls', () => {
  it('a call during a stream waits for it, and so does a compaction by an operator', async () => {
    const session = await sessionOf(12_000, [...CHAT, user('And now?')]);
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const stream = new Promise<void>((resolve) => (finish = resolve));
    let begun: () => void = () => undefined;
    const sending = new Promise<void>((resolve) => (begun = resolve));
    const first = session.call(async () => {
      order.push('first begins');
      begun();
      await stream;
      order.push('first ends');
    });
    await sending;
    const compacting = session.operator.compact({ target: 0.2 }).then(({ kind }) => order.push(kind));
    const second = session.call(() => order.push('second'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['first begins']);
    finish();
    await Promise.all([first, second, compacting]);
    expect(order.slice(0, 2)).toEqual(['first begins', 'first ends']);
    expect(order.slice(2).sort()).toEqual(['committed', 'second']);
  });

  it('K7: a stream that breaks releases the next call, and a compaction by an operator', async () => {
    const session = await sessionOf(12_000, [...CHAT, user('And now?')]);
    let fail: (cause: Error) => void = () => undefined;
    const broken = new Promise<void>((_, reject) => (fail = reject));
    await session.call((_, flight) => flight.until(broken));
    const second = session.call(() => 'second');
    const compacting = session.operator.compact({ target: 0.2 });
    fail(new Error('connection reset'));
    expect([await second, (await compacting).kind]).toEqual(['second', 'committed']);
  });

  it('K7: a compaction by an operator waits for a request whose turn was given up', async () => {
    const session = await sessionOf(12_000, [...CHAT, user('And now?')]);
    const order: string[] = [];
    let giveUp = (): void => undefined;
    const isGivenUp = new Promise<void>((done) => (giveUp = done));
    const answer = async (): Promise<void> => {
      giveUp();
      await new Promise(setImmediate);
      order.push('answered');
    };
    await session.turn((flight) => Promise.race([flight.again(answer), isGivenUp]));
    await session.operator.compact({ target: 0.2 });
    expect([...order, 'compacted']).toEqual(['answered', 'compacted']);
  });

  it('K7: a value that is not a promise holds up no call, and a lazy promise is asked once', async () => {
    const session = await sessionOf(12_000, [...CHAT, user('And now?')]);
    await session.call((_, flight) => flight.until(undefined as never));
    let asked = 0;
    const then = (done: () => void): unknown => (asked++, setImmediate(done));
    const lazy = Object.fromEntries(['then'].map((name) => [name, then]));
    await session.call((_, flight) => flight.until(lazy as never));
    expect(await session.call(() => 'next')).toBe('next');
    expect(asked).toBe(1);
  });
});

it('AC-11: between two compactions each request extends the last one, and the cost of each cut is reported', async () => {
  const session = (await engine(6_000)).session();
  let last: string[] = [];
  let rewrites = 0;
  for (const message of read([...START, ...talk(60, 80)])) {
    if (message.role === 'assistant') {
      const { messages, run, unchangedPrefixTokens, reading } = await session.prepare();
      const now = messages.map((one) => JSON.stringify(one));
      if (run.kind === 'committed') rewrites++;
      else {
        expect(now.slice(0, last.length)).toEqual(last);
        expect(unchangedPrefixTokens).toBeLessThanOrEqual(reading.tokens);
      }
      last = now;
    }
    await session.append(message);
  }
  expect(rewrites).toBe(session.operator.history.length);
  expect(rewrites).toBeGreaterThan(1);
  expect(session.operator.netCosts.map(({ record }) => record)).toEqual(
    session.operator.history.map(({ id }) => id),
  );
  for (const { rewritten, savedPerCall } of session.operator.netCosts) {
    expect(rewritten).toBeGreaterThan(0);
    expect(savedPerCall).toBeGreaterThan(0);
  }
});

it('AC-17: totals do not shrink when a session is compacted, undone, rolled back or opened again', async () => {
  const store = await openStore('memory:');
  const session = await openOn(store);
  await session.append(...read([...CHAT, user('And now?')]));
  const seen: number[] = [];
  const look = (one: Session): void => void seen.push(one.operator.costs.primary.inputTokens);
  await session.prepare();
  await session.observe({ inputTokens: 5_000 });
  look(session);
  await session.operator.compact({ target: 0.2 });
  await session.prepare();
  await session.observe({ inputTokens: 1_000 });
  look(session);
  await session.operator.undo();
  await session.operator.rollback('m4');
  look(session);
  look(await openOn(store));
  expect(seen).toEqual([5_000, 6_000, 6_000, 6_000]);
  expect((await store.usage({ sessionId: 's' })).map(({ calls }) => calls)).toEqual([2]);
});

it('AC-18: a second preview gives the same text, recall gives the original, and undo brings it back', async () => {
  const session = await sessionOf(12_000, [...START, ...talk(48, 110), user('And now?')]);
  const { plan } = await session.operator.plan();
  const previews = [await session.operator.preview(plan!), await session.operator.preview(plan!)];
  expect(previews[0]!.messages).toEqual(previews[1]!.messages);
  await session.operator.commit(plan!);
  const original = read([...START, ...talk(48, 110)])[5]!;
  expect((await session.recall({ handle: 'm5' }))[0]!.text).toBe(
    (original.parts[0] as { text: string }).text,
  );
  await session.operator.undo();
  expect(session.view.map(shownText)[5]).toBe((original.parts[0] as { text: string }).text);
});

describe.each(KINDS)('AC-24: two processes on one session (%s)', (kind) => {
  it('lose no message and compact nothing twice', async () => {
    const { store, again } = await place(kind);
    const both = [await openOn(store, {}, 6_000), await openOn(await again(), {}, 6_000)];
    await both[0]!.append(...read(START));
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        both.map((session, who) =>
          session.append(said(`${who}-${round}`, `${who}, ${round}: ${prose(240, 2 * round + who)}`)),
        ),
      );
      await Promise.all(both.map((session) => session.prepare()));
    }
    const third = await (await openOn(await again(), {}, 6_000)).load();
    const ids = logged(third).map(({ id }) => id);
    expect(ids.length).toBe(3 + 24);
    expect(new Set(ids).size).toBe(27);
    // The messages of each process are in its own order.
    for (const who of [0, 1])
      expect(ids.filter((id) => id.startsWith(`${who}-`))).toEqual(times(12, (i) => `${who}-${i}`));
    const records = third.operator.ledger.records.map(({ id }) => id);
    expect(records).toEqual(records.map((_, i) => `c${i + 1}`));
    const spans = third.view.filter(({ made }) => made).map(({ from, to }) => [from, to]);
    for (const [i, [from]] of spans.entries())
      if (i > 0 && from !== spans[i - 1]![0]) expect(from).toBeGreaterThan(spans[i - 1]![1]!);
    expect(third.reading.pressure).toBeLessThan(1);
  });

  it('commit one of two equal plans, and refuse the other with LEDGER_CONFLICT', async () => {
    const { store, again } = await place(kind);
    const one = await openOn(store);
    await one.append(...read([...START, ...talk(48, 110), user('And now?')]));
    const other = await (await openOn(await again())).load();
    const { plan } = await one.operator.plan();
    const stolen = await other.operator.plan();
    expect(stolen.plan!.edits).toEqual(plan!.edits);
    const settled = await Promise.allSettled([
      one.operator.commit(plan!),
      other.operator.commit(stolen.plan!),
    ]);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'LEDGER_CONFLICT' },
    });
    expect((await (await openOn(await again())).load()).operator.history).toHaveLength(1);
  });
});

it('R1: compaction is a projection: the stored log remains as it was appended', async () => {
  const store = await openStore('memory:');
  const session = await openOn(store);
  const messages = read([...START, ...talk(48, 110), user('And now?')]);
  await session.append(...messages);
  await session.prepare();
  const stored = await store.messages({ sessionId: 's', agentPath: 'primary' }, 0);
  expect(stored.map(({ seq: _, size: __, ...message }) => message)).toEqual(
    JSON.parse(JSON.stringify(messages)),
  );
});
