import { createSpillway, openStore, type Message, type Session } from '../../src/index.js';

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

const WORDS = 'river mill wall boat rain wind hill stone oak wheel gate water'.split(' ');

function message(place: number, random: () => number): Message {
  const words = Array.from(
    { length: 10 + Math.floor(random() * 80) },
    () => WORDS[Math.floor(random() * 12)],
  );
  const role = place === 0 ? 'system' : place % 2 === 1 ? 'user' : 'assistant';
  const origin = role === 'assistant' ? 'model' : role;
  return { id: `m${place}`, role, origin, parts: [{ type: 'text', text: `${place}: ${words.join(' ')}` }] };
}

const look = (session: Session): string => JSON.stringify(session.view.map(({ message: one }) => one));

it.each([1, 2, 3, 4])(
  'a session that is opened again is the session that was left, whatever was done to it (%d)',
  async (seed) => {
    const random = randomOf(seed);
    const store = await openStore('memory:');
    const spillway = await createSpillway({
      store,
      inputBudget: 2_000,
      settings: { counter: 'heuristic', safetyMargin: 0 },
    });
    let session = await spillway.open({ id: 's' });
    let appended = 0;
    for (let i = 0; i < 120; i++) {
      const dice = random();
      let did = 'append';
      if (dice < 0.6) await session.append(message(appended++, random));
      else if (dice < 0.8) did = (await session.prepare()).run.kind;
      else if (dice < 0.85) {
        did = `undo ${(await session.operator.undo()).length}`;
        await session.operator.release();
      } else if (dice < 0.9) {
        const { plan } = await session.operator.plan();
        if (plan?.edits.length) await session.operator.commit(plan);
        did = 'commit';
      } else if (dice < 0.93 && session.log.length > 4) {
        const back = session.log.at(session.log.length - 3).id;
        await session.operator.rollback(back);
        did = `rollback ${back}`;
      } else {
        session = await spillway.open({ id: 's' });
        did = 'open';
      }
      const other = await spillway.open({ id: 's' });
      expect([i, did, look(other)]).toEqual([i, did, look(session)]);
      await other.load();
      expect([i, did, look(other)]).toEqual([i, did, look(session)]);
      expect(other.reading.tokens).toBe(session.reading.tokens);
    }
  },
);
