import { join } from 'node:path';
import { createSpillway, type Session, type Spillway } from '../../../src/index.js';
import { postgresOfFile } from '../../support/postgres.js';
import { prose, quarter, says, temporaryFolder, user, times, type Chat } from '../support.js';

const folder = temporaryFolder();
const postgres = postgresOfFile();

const TURNS = 24;
const options = { id: 'chat', format: 'openai-chat' };
const EDITED = user('EDITED question: please delete nothing.');
const old = (count: number): Chat[] =>
  times(count, (at) => [
    user(`OLD question ${at}. ${prose(120, at)}`),
    says(`Answer ${at}. ${prose(80, at + 50)}`),
  ]);

/** A separate engine on a store, as a new process has it. */
const engineOn = (store: string): Promise<Spillway> =>
  createSpillway({ store, counter: quarter, inputBudget: 3_000, settings: { safetyMargin: 0 } });

/** A session that has compacted, opened again from its store. */
async function reopened(store: string): Promise<{ readonly session: Session; readonly spillway: Spillway }> {
  const first = await engineOn(store);
  const session = await first.open(options);
  for (let turn = 1; turn <= TURNS; turn++) {
    await session.follow({ messages: old(turn).slice(0, -1) });
    await session.prepare();
  }
  await first.close();
  const spillway = await engineOn(store);
  const again = await spillway.open(options);
  return { session: again, spillway };
}

async function sentFor(session: Session, messages: readonly Chat[]): Promise<string> {
  await session.follow({ messages });
  const { messages: sent } = await session.prepare();
  expect(sent.at(-1)).toEqual(messages.at(-1));
  return JSON.stringify(sent);
}

const foreign = (text: string, from: number): number[] =>
  times(TURNS - from, (i) => from + i).filter((at) => text.includes(`OLD question ${at}.`));

describe('a session that was opened again, and whose client changes messages that were compacted', () => {
  const stores = [
    ['SQLite', () => Promise.resolve(`sqlite:${join(folder.path, `${Math.random()}.db`)}`)],
    ['PostgreSQL', () => postgres.create()],
  ] as const;
  for (const [name, newStore] of stores) {
    it(`R1: ${name}: an edited question is sent, and nothing of what it replaces`, async () => {
      const { session, spillway } = await reopened(await newStore());
      const text = await sentFor(session, [...old(TURNS).slice(0, 4), EDITED]);
      expect(foreign(text, 2)).toEqual([]);
      await spillway.close();
    });
  }

  it('R1: a history with an edited question in the middle is sent without the old question', async () => {
    const { session, spillway } = await reopened(await stores[0][1]());
    const history = old(TURNS).slice(0, -1).with(6, EDITED);
    const { rewound } = await session.follow({ messages: history });
    expect(rewound).toEqual({ to: 6, left: history.length - 6 });
    const text = await sentFor(session, history);
    expect(text.includes('OLD question 3.')).toBe(false);
    expect((await session.recall({ query: 'EDITED delete nothing' })).length).toBeGreaterThan(0);
    await spillway.close();
  });

  it('R1: a chat that starts again with another question is sent without any old question', async () => {
    const { session, spillway } = await reopened(await stores[0][1]());
    expect(foreign(await sentFor(session, [EDITED]), 0)).toEqual([]);
    await spillway.close();
  });

  it('R1: a history that did not change is not rolled back, and leads to the same request as before', async () => {
    const store = await stores[0][1]();
    const { session, spillway } = await reopened(store);
    const before = (await session.prepare()).messages;
    const { rewound } = await session.follow({ messages: old(TURNS).slice(0, -1) });
    expect(rewound).toBeUndefined();
    expect((await session.prepare()).messages).toEqual(before);
    await spillway.close();
  });
});

it('R1: two processes on one session send nothing of a branch that is not in their client’s history', async () => {
  const store = `sqlite:${join(folder.path, 'two.db')}`;
  const engines = [await engineOn(store), await engineOn(store)];
  const [one, other] = await Promise.all(engines.map((engine) => engine.open(options)));
  await sentFor(one!, old(4).slice(0, -1));
  await sentFor(other!, old(4).slice(0, -1));
  await sentFor(other!, [...old(2), user('OTHER branch.'), says('Yes.'), user('OTHER again.')]);
  // The first process does not know this branch: what it takes back and adds meets another log in the store.
  const text = await sentFor(one!, [...old(3), EDITED]);
  expect(text).not.toContain('OTHER');
  const goesOn = [...old(3), EDITED, says('Nothing is deleted.'), user('Good.')];
  expect(await sentFor(other!, goesOn)).not.toContain('OTHER');
  for (const engine of engines) await engine.close();
});
