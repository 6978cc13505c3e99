import { callOf, prose, resultOf, says, system, user, type Chat } from '../../support/chats.js';
import { fill, read, sessionOf, preparedAt } from '../support.js';

/** Pins and one open question make up 82 %: nothing that may go is worth a compaction. */
const STUCK: Chat[] = [system(prose(7_500, 1)), user(prose(300, 2)), says(prose(100, 3)), says('Go on.')];

describe('AC-01: a loop that frees nothing (24 passes for 0 %, 211 passes)', () => {
  it('stops after the first run that gains nothing, commits nothing and then reports that it waits', async () => {
    const session = await sessionOf(20_000, STUCK);
    fill(session, 0.82);
    const kinds: string[] = [];
    for (let i = 0; i < 24; i++) kinds.push((await session.prepare()).run.kind);
    expect(kinds).toEqual(['noop', ...Array.from({ length: 23 }, () => 'waiting')]);
    expect(session.operator.ledger.records).toEqual([]);
  });

  it('commits nothing when a run would gain less than the minimum, and waits after it', async () => {
    const session = await sessionOf(
      20_000,
      [...STUCK, callOf([['c', 'Bash', { command: 'ls' }]]), resultOf('c', prose(400, 4)), says('I see.')],
      { stages: { snip: { protectTokens: 0 } } },
    );
    const { run, reading } = await preparedAt(session, 0.82);
    // Snip stubs the listing in the draft, and this frees too little.
    expect(run).toMatchObject({ kind: 'noop', reason: expect.stringMatching(/less than the minimum/) });
    expect(reading.pressure).toBeCloseTo(0.82, 2);
    expect((await session.prepare()).run.kind).toBe('waiting');
  });

  it('compacts again when something new has arrived that is worth it', async () => {
    const session = await sessionOf(20_000, STUCK, { stages: { snip: { protectTokens: 0 } } });
    await preparedAt(session, 0.82);
    session.append(
      ...read([
        callOf([['n', 'Bash', { command: 'ls' }]]),
        resultOf('n', prose(3_500, 5)),
        says('I see.'),
      ]).map((message) => ({ ...message, id: `n${message.id}` })),
    );
    const { run, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThan(0.86);
  });

  it('names the parts of the floor when the request can never fit', async () => {
    const session = await sessionOf(6_000, STUCK, { pins: { share: 0.3 } });
    await expect(preparedAt(session, 2.2)).rejects.toMatchObject({
      code: 'BUDGET_UNREACHABLE',
      message: expect.stringMatching(/pins [\d,]+, unanswered user message [\d,]+/),
      facts: { limit: 6_000 },
    });
  });
});
