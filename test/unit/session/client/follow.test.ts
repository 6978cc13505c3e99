import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  engine,
  prose,
  says,
  step,
  system,
  talk,
  user,
  writer,
  type Chat,
} from '../../../acceptance/support.js';
import { commandAnswer, type Session } from '../../../../src/index.js';

const START = [system('Be brief. Today is Monday.'), user('Build a mill.')];

async function following(budget = 4_000): Promise<Session> {
  return (await engine(budget)).session();
}

const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

/** What is really sent, as the client would see it. */
async function sent(session: Session): Promise<readonly unknown[]> {
  return (await session.prepare()).messages;
}

describe('a client that sends its whole history each time', () => {
  it('adds only its new messages to the log', async () => {
    const session = await following();
    const first = await session.follow({ messages: START });
    expect(ids(first.appended)).toEqual(['m0', 'm1']);
    const again = await session.follow({ messages: structuredClone(START) });
    expect(again).toEqual({ appended: [], notices: [] });
    const more = [...START, says('Gladly.'), user('Go on.')];
    const second = await session.follow({ messages: structuredClone(more) });
    expect(ids(second.appended)).toEqual(['m2', 'm3']);
    expect(session.log.length).toBe(4);
    expect(await sent(session)).toEqual(more);
  });

  it('keeps its compactions while it goes on sending everything', async () => {
    const session = await following(2_000);
    const history: Chat[] = [...START, says('Gladly.')];
    for (let turn = 0; turn < 12; turn++) {
      history.push(...step('look', { at: turn }, prose(200, turn)), user(`Go on, ${turn}.`));
      const followed = await session.follow({ messages: structuredClone(history) });
      expect(followed.rewound).toBeUndefined();
      expect(followed.appended).toHaveLength(turn === 0 ? history.length : 3);
      const prepared = await session.prepare();
      expect(prepared.reading.tokens).toBeLessThanOrEqual(2_000);
    }
    expect(session.operator.history.length).toBeGreaterThan(0);
    expect(session.log.length).toBe(history.length);
  });

  it('may leave out null values, move cache marks and write text as a text block', async () => {
    const session = await following();
    const marked = {
      role: 'user',
      content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
    };
    await session.follow({ messages: [...START, marked, { ...says('Yes.'), refusal: null }] });
    const next = await session.follow({ messages: [...START, user('Hi'), says('Yes.'), user('Now.')] });
    expect(next.rewound).toBeUndefined();
    expect(ids(next.appended)).toEqual(['m4']);
  });

  it('may come from Mastra, which puts the time of each call into the options of all parts', async () => {
    const session = (await engine(4_000, {}, { format: 'ai-sdk' })).session();
    const at = (createdAt: number, ...words: string[]) =>
      words.map((text) => ({
        role: 'user',
        content: [{ type: 'text', text, providerOptions: { mastra: { createdAt } } }],
      }));
    await session.follow({ messages: at(1, 'Build a mill.') });
    const body = { messages: at(2, 'Build a mill.', 'Go on.') };
    expect(await session.isStranger(body)).toBe(false);
    const { appended, rewound } = await session.follow(body);
    expect([ids(appended), rewound]).toEqual([['m1'], undefined]);
  });

  it('rolls the log back when it goes back, which undoes only the compactions that reach past that point', async () => {
    const session = await following(3_000);
    const old = [...START, says('Gladly.'), ...talk(12, 150)];
    await session.follow({ messages: old });
    await session.operator.compact({ target: 0.3 });
    const records = session.operator.history.length;
    const length = session.log.length;
    const later = [...old, ...talk(1, 50, 500)];
    await session.follow({ messages: later });
    // The newest question, asked in other words.
    const other = [...later.slice(0, -2), user('Something else.')];
    const followed = await session.follow({ messages: other });
    expect(followed.rewound).toEqual({ to: length, left: 2 });
    expect(followed.notices).toEqual([expect.objectContaining({ kind: 'history-rewound' })]);
    expect(session.operator.history.filter(({ status }) => status === 'committed')).toHaveLength(records);
    // Then from the very beginning.
    const anew = [START[0]!, user('Build a ship.')];
    expect((await session.follow({ messages: anew })).rewound).toEqual({ to: 1, left: length });
    expect(session.operator.history.filter(({ status }) => status === 'committed')).toEqual([]);
    expect(await sent(session)).toEqual(anew);
    expect(session.log.length).toBe(2);
  });

  it('gets all remaining messages back as originals when it takes back compacted ones', async () => {
    const session = await following(3_000);
    const old = [...START, says('Gladly.'), ...talk(12, 150)];
    await session.follow({ messages: old });
    await session.operator.compact({ target: 0.3 });
    expect((await sent(session)).length).toBeLessThan(old.length);
    const shorter = old.slice(0, 5);
    const followed = await session.follow({ messages: shorter });
    expect(followed.rewound).toEqual({ to: 5, left: old.length - 5 });
    expect(await sent(session)).toEqual(shorter);
  });

  it('may change its instructions with every call: the newest are sent and counted, and nothing is rolled back', async () => {
    const session = await following(2_000);
    const rest = [user('Build a mill.'), says('Gladly.'), ...talk(12, 60)];
    await session.follow({ messages: [system('Today is Monday.'), ...rest] });
    await session.operator.compact({ target: 0.3 });
    const before = session.reading.tokens;
    const tuesday = [system('Today is Tuesday.'), system(prose(100)), ...rest, user('And now?')];
    const followed = await session.follow({ messages: tuesday });
    expect(followed.rewound).toBeUndefined();
    expect(ids(followed.appended)).toEqual([`m${tuesday.length - 1}`]);
    expect(session.reading.tokens - before).toBeGreaterThan(100);
    const messages = await sent(session);
    expect(messages.slice(0, 2)).toEqual(tuesday.slice(0, 2));
    expect(JSON.stringify(messages)).not.toContain('Monday');
    expect(session.operator.history).toHaveLength(1);
    // Back to the first ones, then to none at all.
    await session.follow({ messages: [system('Today is Monday.'), ...rest, user('And now?')] });
    expect((await sent(session))[0]).toEqual(system('Today is Monday.'));
    await session.follow({ messages: [...rest, user('And now?')] });
    expect(JSON.stringify(await sent(session))).not.toContain('Today');
  });

  it.each([
    [1, 0],
    [0, 1, 0],
    [2, 1, 3, 0],
  ])('may begin with more or fewer instructions on each call: %d, %d, …', async (...heads) => {
    const session = await following();
    const rest = [user('Build a mill.')];
    for (const [turn, count] of heads.entries()) {
      const history = [...Array.from({ length: count }, (_, i) => system(`Rule ${i}.`)), ...rest];
      await session.follow({ messages: history });
      expect(await sent(session)).toEqual(history);
      rest.push(says(`Gladly, ${turn}.`), user(`Go on, ${turn}.`));
    }
    expect(session.log.length).toBe(heads[0]! + rest.length - 2);
  });

  it.each([
    ['in', (note: string) => [user(`And now? <system-reminder>${note}</system-reminder>`)]],
    ['as instructions before', (note: string) => [system(note), user('And now?')]],
  ])(
    'may put a note %s its newest message and take it out on the next call: no summary is bought again',
    async (_, asked) => {
      const { summarizer, asked: bought } = writer();
      const session = (await engine(2_000, {}, { summarizer })).session();
      const rest = [...START, says('Gladly.'), ...talk(6, 140)];
      for (let turn = 0; turn < 4; turn++) {
        const messages = [...rest, ...asked(`It is ${turn} o'clock.`)];
        await session.follow({ messages }, { forks: true });
        expect(JSON.stringify(await sent(session))).toContain(`${turn} o'clock`);
        rest.push(user('And now?'), says(`Still, ${turn}.`));
      }
      expect(bought).toHaveLength(1);
      expect(JSON.stringify(bought)).not.toContain("o'clock");
    },
  );

  it.each(['staged', 'pivot'])(
    'may begin the answer for the model: this beginning and its question stay in the request (%s)',
    async (profile) => {
      const session = (await engine(500, {}, { profile })).session();
      const ends = [user(`How many sails? ${prose(60)}`), says('So many:')];
      await session.follow({ messages: [...START, says('Gladly.'), ...talk(3, 150), ...ends] });
      expect((await sent(session)).slice(-2)).toEqual(ends);
    },
  );

  it('may change a note before the first user message: nothing is rolled back, and the newest note is sent', async () => {
    const session = await following(2_000);
    const day = (date: string): Chat => user(`<system-reminder>Today is ${date}.</system-reminder>`);
    const rest = [user('Build a mill.'), says('Gladly.'), ...talk(12, 150)];
    for (const date of ['Monday', 'Tuesday', 'Wednesday']) {
      const body = { messages: [day(date), ...rest] };
      expect(await session.isStranger(body)).toBe(false);
      expect((await session.follow(structuredClone(body))).rewound).toBeUndefined();
      const messages = await sent(session);
      expect(messages.slice(0, 2)).toEqual([day(date), user('Build a mill.')]);
      expect(JSON.stringify(messages).match(/Today is/g)).toHaveLength(1);
      rest.push(says(`That was ${date}.`), user('Go on.'));
    }
    expect(session.operator.history.length).toBeGreaterThan(0);
    // If the user's own words differ, it is another conversation.
    expect(await session.isStranger({ messages: [day('Monday'), user('Build a boat.')] })).toBe(true);
  });

  it('may have only notes of its program as user messages: they are sent when the instructions change', async () => {
    const session = await following();
    const note = user('<task-notification>Mend the mill.</task-notification>');
    for (const day of ['Monday', 'Tuesday']) {
      const history = [system(`Today is ${day}.`), note, says('Gladly.'), note];
      await session.follow({ messages: structuredClone(history) });
      expect(await sent(session)).toEqual(history);
    }
  });

  it('has its tools counted, and counted again when they change', async () => {
    const session = await following();
    const tools = [{ type: 'function', function: { name: 'look', description: prose(300) } }];
    await session.follow({ messages: START });
    const bare = session.reading.tokens;
    await session.follow({ messages: START, tools });
    expect(session.reading.tokens - bare).toBeGreaterThan(300);
    await session.follow({ messages: START, tools: [...tools, ...tools] });
    expect(session.reading.tokens - bare).toBeGreaterThan(600);
    await session.follow({ messages: START });
    expect(session.reading.tokens).toBe(bare);
  });

  it('gets a notice of a fault in a new message once', async () => {
    const session = await following();
    const odd = { role: 'critic', content: 'Hm.' };
    const first = await session.follow({ messages: [...START, odd] });
    expect(first.notices.map(({ kind }) => kind)).toEqual(['unknown-role']);
    expect((await session.follow({ messages: [...START, odd, user('Go on.')] })).notices).toEqual([]);
  });

  it('gets a notice of a fault in a message that replaces messages it took back', async () => {
    const session = await following();
    await session.follow({ messages: [...START, says('Gladly.'), user('Go on.')] });
    const { notices } = await session.follow({ messages: [...START, { role: 'critic', content: 'Hm.' }] });
    expect(notices.map(({ kind }) => kind)).toEqual(['history-rewound', 'unknown-role']);
  });

  it('is refused with a body of another format, and the log does not change', async () => {
    const session = await following();
    await session.follow({ messages: START });
    await expect(session.follow({ contents: [] })).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
    expect(session.log.length).toBe(2);
  });
});

it('message objects of a program are recognised after it gives them ids, and after it reads them back as JSON', async () => {
  const session = (await engine(4_000, {}, { format: 'langchain' })).session();
  const said = [new HumanMessage('Build a mill.'), new AIMessage({ content: 'Gladly.', id: 'a1' })];
  await session.follow({ messages: said });
  const named = [
    new HumanMessage({ content: 'Build a mill.', id: 'h1' }),
    said[1]!,
    new HumanMessage('Go on.'),
  ];
  expect((await session.follow({ messages: named })).appended).toHaveLength(1);
  const stored = JSON.parse(JSON.stringify(named)) as unknown[];
  expect(await session.follow({ messages: stored })).toMatchObject({ appended: [] });
  const other = [new HumanMessage({ content: 'Build a ship.', id: 'h1' }), ...named.slice(1)];
  expect((await session.follow({ messages: other })).rewound).toEqual({ to: 0, left: 3 });
});

const COMMANDS = { commands: true };

describe('A6: /compact in a user message', () => {
  it('is a command: neither it nor its answer is added to the log', async () => {
    const session = await following();
    const talked = [...START, says('Gladly.'), ...talk(12, 150)];
    const asked = await session.follow({ messages: [...talked, user(' /compact\n')] }, COMMANDS);
    expect(asked.command).toBe('compact');
    expect(session.log.length).toBe(talked.length);
    const report = await session.operator.compact({ target: 0.3 });
    const next = [...talked, user('/compact'), says(commandAnswer(report.reason)), user('Go on.')];
    const followed = await session.follow({ messages: next }, COMMANDS);
    expect(followed.command).toBeUndefined();
    expect(followed.rewound).toBeUndefined();
    expect(followed.appended.map(({ parts }) => parts)).toEqual([
      [expect.objectContaining({ text: 'Go on.' })],
    ]);
    expect(session.operator.history).toHaveLength(1);
  });

  it('is plain text if the message says more', async () => {
    const session = await following();
    const followed = await session.follow(
      {
        messages: [...START, says('?'), user('What does /compact do?')],
      },
      COMMANDS,
    );
    expect(followed.command).toBeUndefined();
    expect(followed.appended).toHaveLength(4);
  });
});
