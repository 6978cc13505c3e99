import { createSpillway, type EngineEvent } from '../../../src/index.js';
import { engine, read, says, system, talk, user } from '../support.js';

const CHAT = read([system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 150)]);

describe('K13: every change of a session is an event of its own', () => {
  it('K13: the engine reports commit, approve, reject, undo, rollback and a plan that waits', async () => {
    const spillway = await engine(20_000, { compaction: { approval: 'ask' } });
    const events: EngineEvent[] = [];
    spillway.events.subscribe((event) => events.push(event));
    const kinds = (): string[] => events.splice(0).map(({ kind }) => kind);
    const session = spillway.session({ id: 'mill', model: 'gpt-4o' });
    await session.append(...CHAT);

    const { plan } = await session.operator.plan({ target: 0.2 });
    await session.operator.commit(plan!);
    expect(events.at(-1)).toMatchObject({
      kind: 'completed',
      recordId: 'c1',
      durationMs: 0,
      sessionId: 'mill',
      agentPath: 'primary',
      model: 'gpt-4o',
      at: expect.any(Number),
    });
    expect(kinds()).toEqual(['completed']);
    await session.operator.undo();
    expect(events.at(-1)).toMatchObject({ kind: 'undone', recordIds: ['c1'] });
    expect(kinds()).toEqual(['undone']);
    await session.operator.release();

    const again = await session.operator.plan({ target: 0.2 });
    await session.operator.propose(again.plan!);
    await session.operator.reject();
    await session.operator.propose(again.plan!);
    await session.operator.approve();
    expect(kinds()).toEqual(['pending', 'rejected', 'pending', 'approved', 'completed']);
    await session.operator.rollback('m5');
    expect(events.at(-1)).toMatchObject({ kind: 'rolled-back', length: 6, recordIds: ['c2'] });
  });

  it('K13: a plan that waits for approval is not a failure', async () => {
    const session = (await engine(3_000, { compaction: { approval: 'ask' } })).session();
    const kinds: string[] = [];
    session.events.subscribe(({ kind }) => kinds.push(kind));
    await session.append(...CHAT);
    await expect(session.prepare()).rejects.toMatchObject({ code: 'COMPACTION_PENDING' });
    expect(kinds).toContain('pending');
    expect(kinds).not.toContain('failed');
  });
});

it('K13: options and judgements that do not exist are refused by name', async () => {
  await expect(createSpillway({ modle: 'x' } as object)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('unknown option modle of createSpillway; allowed: profile, '),
  });
  const two = createSpillway({ modle: 'x', overrides: {} } as object);
  await expect(two).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  // The options that exist are listed once.
  await expect(two).rejects.toThrow(
    /^(?!.*onStoreFailure.*onStoreFailure).*unknown options modle, overrides of/s,
  );
  const session = (await engine(20_000)).session();
  await session.append(...CHAT);
  await session.operator.compact({ target: 0.2 });
  await expect(session.operator.flag('c1', 'great' as 'good')).rejects.toMatchObject({
    code: 'FLAG_UNKNOWN',
  });
  expect(session.operator.history[0]).not.toHaveProperty('flag');
});
