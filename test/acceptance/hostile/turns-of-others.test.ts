import { createSpillway, type Session } from '../../../src/index.js';
import { turnsDuring } from '../../support/turns-during.js';
import { times } from '../../support/chats.js';

const user = (content: string) => ({ role: 'user', content });

const reads = (count: number, resultOf: (at: number) => string, text = '') =>
  times(count, (at) => at).flatMap((at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `c${at}`,
          type: 'function',
          function: { name: 'read', arguments: JSON.stringify({ path: `src/part${at}.ts`, text }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: resultOf(at) },
  ]);

const words = (count: number, at: number): string =>
  times(count, (i) => `word${(i * 7_919) % 10_007}of${at}`).join(' ');

describe('while one session does long work, others have their turns', () => {
  it('when long results that were removed are read for a question', async () => {
    const session = (await createSpillway({ inputBudget: 20_000 })).session();
    const messages = [
      user('Read all parts.'),
      ...reads(12, (at) => words(12_000, at)),
      { role: 'assistant', content: 'Read.' },
    ];
    await session.follow({ messages: [...messages, user('Go on.')] });
    await session.prepare();
    await session.follow({
      messages: [
        ...messages,
        user('Go on.'),
        { role: 'assistant', content: 'Done.' },
        user('What of src/part3.ts and word77of3?'),
      ],
    });
    expect(await turnsDuring(() => session.prepare())).toBeGreaterThan(100);
  });

  const words30 = words(30, 0);
  const planned = async (meanwhile?: (session: Session) => void) => {
    const session = (await createSpillway({ inputBudget: 20_000 })).session();
    await session.follow({ messages: [user('Read all parts.')] });
    await session.prepare();
    await session.follow({
      messages: [
        user('Read all parts.'),
        ...reads(3_000, (at) => `${words30} ${at}`),
        { role: 'assistant', content: 'Read.' },
        user('Go on.'),
      ],
    });
    let turns = 0;
    let isPlanning = false;
    const turn = (): void => {
      if (!isPlanning) return;
      if (++turns === 1) meanwhile?.(session);
      setImmediate(turn);
    };
    session.events.subscribe(({ kind }) => {
      isPlanning = kind === 'triggered' || (isPlanning && kind !== 'completed');
      if (kind === 'triggered') setImmediate(turn);
    });
    const { run, messages } = await session.prepare();
    return { session, turns, edits: run.record?.plan.edits, messages };
  };

  it('when a compaction of a long history is planned, and what arrives meanwhile does not change the plan', async () => {
    const alone = await planned();
    expect(alone.turns).toBeGreaterThan(3);
    const appended: Promise<void>[] = [];
    const { session, edits, messages } = await planned((one) => {
      const parts = [{ type: 'text' as const, text: 'One more thing.' }];
      appended.push(one.append({ id: 'later', role: 'user', origin: 'user', parts }));
      appended.push(one.observe({ inputTokens: 500 }));
    });
    await Promise.all(appended);
    expect(edits).toEqual(alone.edits);
    expect(session.log.at(session.log.length - 1).id).toBe('later');
    expect(messages.at(-1)).toEqual(user('One more thing.'));
  });

  const READ = [
    user('Read all parts.'),
    ...reads(3_000, (at) => `${words30} ${at}`),
    { role: 'assistant', content: 'Read.' },
  ];

  it.each([
    ['one token again and again', () => 'eyJhbGciOiJI.'.repeat(40_000)],
    ['many secrets', () => times(20_000, (at) => `API_KEY=${at}aB9xQ7${at}kLm3`).join('\n')],
  ])('when a message is made of %s', async (_, textOf) => {
    const session = (await createSpillway({ inputBudget: 20_000 })).session();
    const messages = [
      user('Look.'),
      { role: 'assistant', content: 'At what?' },
      user(textOf()),
      { role: 'assistant', content: 'Seen.' },
      user('Go on.'),
    ];
    await session.follow({ messages });
    expect(await turnsDuring(() => session.prepare())).toBeGreaterThan(10);
    expect(session.reading.pressure).toBeLessThan(1);
  });

  it('when an operator plans a compaction, and the plan can be committed though the session went on', async () => {
    const session = (await createSpillway({ inputBudget: 600_000 })).session();
    await session.follow({ messages: READ });
    const looked = async (meanwhile?: () => Promise<unknown>) => {
      let plan: Awaited<ReturnType<typeof session.operator.plan>> | undefined;
      let appended: Promise<unknown> | undefined;
      if (meanwhile) setImmediate(() => (appended = meanwhile()));
      const turns = await turnsDuring(async () => (plan = await session.operator.plan({ target: 0.2 })));
      await appended;
      return { turns, plan: plan!.plan!, hasMoved: appended !== undefined };
    };
    expect((await looked()).turns).toBeGreaterThan(1_000);
    const { plan, hasMoved } = await looked(() => session.follow({ messages: [...READ, user('And now?')] }));
    expect(hasMoved).toBe(true);
    const record = await session.operator.commit(plan);
    expect(record.plan.hash).toBe(plan.hash);
    expect((await session.prepare()).messages.at(-1)).toEqual(user('And now?'));
  });

  it('when long arguments are trimmed before a call', async () => {
    const settings = { prune: 'iteration', stages: { snip: { arguments: { mode: 'on' } } } } as const;
    const session = (await createSpillway({ inputBudget: 4_000_000, settings })).session();
    const writes = reads(1_500, () => 'Written.', words(300, 0));
    await session.follow({ messages: [user('Write all parts.'), ...writes] });
    // This reads all of the log, so that only the trimming is left to do.
    await session.operator.plan({ threshold: 1 });
    expect(await turnsDuring(() => session.prepare())).toBeGreaterThan(300);
    expect(session.operator.ledger.records.map(({ kind }) => kind)).toEqual(['prune']);
  });
});
