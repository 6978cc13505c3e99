import { engine, prose, says, step, system, talk, user, type Chat } from '../../../acceptance/support.js';
import { createSpillway, type Session } from '../../../../src/index.js';

const QUESTION = `Rename the table orders to purchases, but only in staging. ${prose(200, 77)}`;

const textOf = (messages: readonly unknown[]): string => JSON.stringify(messages);

async function standing(session: Session): Promise<readonly Chat[]> {
  return (await session.prepare()).messages as readonly Chat[];
}

describe('a client that goes back to before an answer', () => {
  it.each([3, 5])(
    'has its question in the request again, with %i steps after it, although it was compacted once answered',
    async (steps) => {
      const session = (
        await engine(3_000, {
          thresholds: { retainCount: 2 },
          stages: { auto: { preserveRecent: 2 } },
        })
      ).session();
      const asked = [system('Be brief.'), ...talk(4, 180), user(QUESTION)];
      for (let at = 0; at < steps; at++) asked.push(...step('psql', { at }, prose(150, at)));
      const answered = [...asked, says(`Done. ${prose(60, 8)}`), user(`Thanks, now ${prose(600, 9)}`)];
      await session.follow({ messages: answered });
      await session.prepare();
      await session.operator.compact({ target: 0.3 });
      // The test needs the question out of the request first.
      expect(textOf((await standing(session)).filter(({ role }) => role === 'user'))).not.toContain(QUESTION);
      await session.follow({ messages: asked });
      const users = (await standing(session)).filter(({ role }) => role === 'user');
      expect(users.at(-1)?.content).toBe(QUESTION);
    },
  );

  it('has an unread result again as it was, not the stub that replaced it when it was old', async () => {
    const session = (await createSpillway({ inputBudget: 4_000, profile: 'reducer' })).session();
    const read = [system('Be brief.'), user('Look into it.')];
    for (let at = 0; at < 4; at++)
      read.push(...step('psql', { at }, prose(at === 3 ? 1_600 : 240, at), `Step ${at}.`));
    const answered = [...read];
    for (let at = 0; at < 3; at++)
      answered.push(says(`Answer ${at}: ${prose(60, 20 + at)}`), user(`Next: ${prose(1_200, 30 + at)}`));
    await session.follow({ messages: answered });
    const before = await standing(session);
    expect(textOf(before)).not.toContain(textOf([read.at(-1)!.content]).slice(2, 400));
    await session.follow({ messages: read });
    const newest = (await standing(session)).at(-1)!;
    expect(newest.role).toBe('tool');
    expect(String(newest.content).slice(0, 200)).toBe(String(read.at(-1)!.content).slice(0, 200));
  });

  it('has an open call again with its original arguments', async () => {
    const session = (await engine(3_000)).session();
    const [call, result] = step('write', { path: 'a.sql', content: prose(900, 3) }, 'Written.');
    const open = [system('Be brief.'), ...talk(2, 150), user(QUESTION), call!];
    await session.follow({
      messages: [...open, result!, says('Done.'), ...talk(4, 100, 300), user('Go on.')],
    });
    await session.operator.compact({ target: 0.65 });
    expect(textOf(await standing(session))).not.toContain(
      prose(900, 3).slice(0, 1_000).replaceAll('\n', '\\\\n'),
    );
    await session.follow({ messages: open });
    expect((await standing(session)).at(-1)).toEqual(call);
  });

  it('keeps the compaction of the turns before', async () => {
    const session = (await engine(3_000)).session();
    const old = [system('Be brief.'), ...talk(12, 150)];
    await session.follow({ messages: old });
    await session.operator.compact({ target: 0.3 });
    const asked = [...old, user(QUESTION)];
    await session.follow({ messages: [...asked, says('Done.'), user('Thanks.')] });
    const before = await standing(session);
    const { rewound } = await session.follow({ messages: asked });
    expect(rewound).toEqual({ to: asked.length, left: 2 });
    expect(session.operator.history.map(({ status }) => status)).toEqual(['committed']);
    expect(await standing(session)).toEqual(before.slice(0, -2));
  });

  it.each(['Mind the ', 'Mind the\n', 'Mind the\t', 'Mind the C:\\'])(
    'gets no summary that names a word from after the place it goes back to, where the word follows %j',
    async (before) => {
      const session = (await engine(3_000)).session();
      const asked = [system('Be brief.'), ...talk(8, 150)];
      await session.follow({ messages: [...asked, user(`${before}xylophone.`), says('Yes.'), user('Now?')] });
      const { plan } = await session.operator.plan({ target: 0.6 });
      const place = plan!.edits.findIndex(({ kind }) => kind === 'supersede');
      const text = { [place]: 'They spoke of a xylophone.' };
      await session.operator.commit(await session.operator.edit(plan!, { text }));
      expect(textOf(await standing(session))).toContain('They spoke');
      await session.follow({ messages: [...asked, user('And then?')] });
      expect(textOf(await standing(session))).not.toContain('xylophone');
    },
  );
});
