import { createSpillway, type Message, type Plugin, type Session } from '../../../src/index.js';
import { engine, idsIn, said, slow, talk, turns } from './short-session.js';

/* An operator, a plugin, a listener or the agent itself acts while a session works. */

it('no compaction of messages that were rolled back stays in force, at any moment of the rollback', async () => {
  let committed = 0;
  for (let moment = 0; moment < 60; moment++) {
    const { asked, answer, summarizer } = slow();
    const session = (await engine({ summarizer, settings: { roster: ['auto'] } })).session();
    await session.append(...talk(24));
    const prepared = session.prepare();
    await asked;
    answer();
    await turns(moment);
    await session.operator.rollback('m1');
    await prepared;
    expect(session.view.map(({ message }) => message.id)).toEqual(['m0', 'm1']);
    expect(session.operator.ledger.liveEdits).toEqual([]);
    committed += session.operator.history.length;
  }
  expect(committed).toBeGreaterThan(0); // the last moments are after the commit
});

describe('a compaction that is undone while plugins are notified of it', () => {
  const undoing = async (times: number): Promise<Session> => {
    let left = times;
    const told: Plugin = {
      name: 'told',
      observer: { postCompact: async () => void (left-- > 0 && (await session.operator.undo())) },
    };
    const session = (await engine({ plugins: [told] })).session();
    await session.append(...talk(30));
    return session;
  };

  it('leaves a request that fits', async () => {
    const { reading } = await (await undoing(1)).prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it('ends in an error that can be retried if every compaction is undone', async () => {
    await expect((await undoing(Infinity)).prepare()).rejects.toMatchObject({
      code: 'LEDGER_CONFLICT',
      retryable: true,
    });
  });
});

it('a request fits if usage reported meanwhile was higher than expected, at any moment of the report', async () => {
  for (let moment = 0; moment < 30; moment++) {
    const session = (await engine()).session();
    await session.append(...talk(16));
    const { reading } = await session.prepare();
    const late = session.prepare();
    await turns(moment);
    await session.observe({ inputTokens: Math.ceil(1.05 * reading.budget.tokens), outputTokens: 1 });
    expect((await late).reading.pressure).toBeLessThanOrEqual(1);
  }
});

it('a request fits if another call is refused as too long while plugins are notified of its compaction', async () => {
  let refused: Promise<unknown> | undefined;
  const long =
    "This model's maximum context length is 2000 tokens. However, your messages resulted in 3900 tokens.";
  const told: Plugin = {
    name: 'told',
    observer: {
      // The compaction that follows the refusal waits.
      preCompact: () => (refused ? turns(300) : undefined),
      postCompact: () => void (refused ??= session.overflowed({ status: 400, message: long })),
    },
  };
  const session = (await engine({ plugins: [told] })).session();
  await session.append(...talk(14));
  await session.prepare();
  await session.append(...talk(24).slice(14));
  const { reading } = await session.prepare();
  await refused;
  expect(reading.scale).toBeGreaterThan(1);
  expect(reading.pressure).toBeLessThanOrEqual(1);
});

it('an undo by a listener is recorded after the compaction that it undoes', async () => {
  const session = (await engine()).session();
  await session.append(...talk(30));
  let left = 1;
  session.events.subscribe(({ kind }) => {
    if (kind === 'completed' && left-- > 0) void session.operator.undo();
  });
  const { reading } = await session.prepare();
  expect(reading.pressure).toBeLessThanOrEqual(1);
  const kinds = (await session.operator.audit()).map(({ kind }) => kind.replace('compaction.', ''));
  expect(kinds.indexOf('completed')).toBeLessThan(kinds.indexOf('undone'));
});

it('messages given back are in the log once, also if two calls are prepared at the same time', async () => {
  for (let moment = 0; moment < 20; moment++) {
    const session = await (await engine({ store: 'memory:' })).open({ id: 's' });
    await session.append(...talk(14));
    await session.operator.compact({ target: 0.2 });
    await session.operator.giveBack({ handle: 'm1' });
    await session.operator.giveBack({ handle: 'm3' });
    const first = session.prepare();
    await turns(moment);
    await Promise.all([first, session.prepare()]);
    expect(idsIn(session).filter((id) => id.includes(':given'))).toHaveLength(2);
  }
});

it('no request is over the budget if a plan is proposed while it is prepared, at any moment', async () => {
  let paused = 0;
  for (let moment = 0; moment < 30; moment++) {
    const session = (await engine()).session();
    await session.append(...talk(15));
    const { plan } = await session.operator.plan({ target: 0.2 });
    const prepared = session.prepare();
    await turns(moment);
    const waits = session.operator.propose(plan!).catch(() => undefined);
    await session.append(said('m15', 'assistant'), said('m16', 'user', 100));
    await waits;
    const came = await prepared.catch(({ code }: { readonly code: string }) => code);
    if (typeof came === 'string') expect(came).toBe('COMPACTION_PENDING');
    else expect(came.reading.pressure).toBeLessThanOrEqual(1);
    if (typeof came === 'string') paused++;
  }
  expect(paused).toBeGreaterThan(0);
});

it('an append with a message that cannot be counted is refused, and appends before and after it are kept', async () => {
  const { asked, answer, summarizer } = slow();
  const counter = {
    name: 'picky',
    exact: false,
    count: (text: string) => (text.includes('<|endoftext|>') ? Number.NaN : Math.ceil(text.length / 4)),
  };
  const session = (await engine({ counter, summarizer, settings: { roster: ['auto'] } })).session();
  await session.append(...talk(24));
  const prepared = session.prepare();
  await asked;
  const odd: Message = { ...said('odd', 'user'), parts: [{ type: 'text', text: 'What is <|endoftext|>?' }] };
  const before = session.append(said('before', 'user'));
  expect(() => session.append(said('beside', 'user'), odd)).toThrow('picky');
  const behind = session.append(said('behind', 'user'));
  answer();
  expect((await prepared).run.kind).toBe('committed');
  await Promise.all([before, behind]);
  expect(idsIn(session).slice(-2)).toEqual(['before', 'behind']);
});

it('requests that are prepared at once each keep their own answer’s tokens free', async () => {
  const settings = { window: 8_000, reserve: { output: 100 }, safetyMargin: 0 };
  const session = (await createSpillway({ settings })).session();
  await session.append(...talk(70));
  const answers = [3_000, 100, 0, 4_000];
  const prepared = await Promise.all(answers.map((maxOutputTokens) => session.prepare({ maxOutputTokens })));
  const free = prepared.map(({ reading }) => 8_000 - reading.budget.tokens);
  expect(free).toEqual([3_000, 100, 100, 4_000]);
  for (const { reading } of prepared) expect(reading.pressure).toBeLessThanOrEqual(1);
});

it('requests that are prepared at once each have the window of their own model', async () => {
  const models = { small: { contextWindow: 3_000 }, large: { contextWindow: 9_000 } };
  const settings = { window: null, reserve: { output: 0 }, model: 'small', models };
  const session = (await createSpillway({ settings })).session();
  await session.append(...talk(70));
  const [own, small, large] = await Promise.all([
    session.prepare(),
    session.prepare({ model: 'small' }),
    session.prepare({ model: 'large' }),
  ]);
  expect([own, small, large].map(({ reading }) => reading.budget.window)).toEqual([3_000, 3_000, 9_000]);
});

it('a request fits its model if one for another model is prepared meanwhile, at any moment', async () => {
  const models = { small: { contextWindow: 2_000 }, large: { contextWindow: 9_000 } };
  const settings = { window: null, reserve: { output: 0 }, model: 'small', models };
  const told: Plugin = { name: 'told', observer: { preCompact: () => turns(3) } };
  const spillway = await createSpillway({ plugins: [told], settings });
  for (let moment = 0; moment < 40; moment++) {
    const session = spillway.session();
    await session.append(...talk(40));
    const small = session.prepare();
    await turns(moment);
    const large = session.prepare({ model: 'large' });
    const came = await Promise.all([small, large]);
    expect(came.map(({ reading }) => reading.budget.window)).toEqual([2_000, 9_000]);
    for (const { reading } of came) expect(reading.pressure).toBeLessThanOrEqual(1);
  }
});

it('a prepared request does not change when its session appends a message', async () => {
  const session = (await engine()).session();
  await session.append(...talk(4));
  const { view, messages } = await session.prepare();
  await session.append(said('m4', 'user'));
  expect([view.length, messages.length]).toEqual([4, 4]);
});
