import fc from 'fast-check';
import { engine, times } from '../../../acceptance/support.js';
import { SpillwayError } from '../../../../src/errors/index.js';
import { formats, type Message, type Session } from '../../../../src/index.js';
import { Follower, type FollowedSession } from '../../../../src/session/client/follow.js';
import type { WireFormat } from '../../../../src/spi/index.js';
import { historyOf, TRAITS } from '../../../../src/testkit/index.js';
import { unedited } from '../../../../src/testkit/formats/views.js';

type Body = Readonly<Record<string, unknown>>;
const ALL = [...formats.values()].map((format) => ({ name: format.name, format }));

async function following(format: string): Promise<Session> {
  return (await engine(1_000_000, {}, { format })).session();
}

/** A generated history as the body that a client of the format would send. */
function bodyOf(format: WireFormat, seed: number, length: number): Body {
  const { messages, beside } = format.serialise(unedited(historyOf({ seed, length, traits: TRAITS })));
  return JSON.parse(JSON.stringify({ ...beside, [format.messagesField]: messages })) as Body;
}

/**
 * Everything a session came to, except how its messages are called after the client went back, and which instructions
 * the log begins with: the newest are sent in their place.
 */
async function cameTo(session: Session): Promise<unknown> {
  const { messages, beside } = await session.prepare();
  const log = times(session.log.length, (seq) => session.log.at(seq));
  return {
    messages,
    beside,
    log: log
      .slice(log.findIndex(({ role }) => role !== 'system'))
      .map(({ role, origin, parts, size }) => ({ role, origin, parts, size })),
    tokens: session.reading.tokens,
  };
}

describe.each(ALL)('a history in $name that is sent in full each time', ({ name, format }) => {
  it('gives the same session over any turns that end in it: on, back, edited, in new objects', async () => {
    const turn = fc.record({ kind: fc.nat(5), share: fc.double({ min: 0, max: 1, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000), fc.array(turn, { maxLength: 6 }), async (seed, turns) => {
        const whole = bodyOf(format, seed, 4 + (seed % 20));
        const items = whole[format.messagesField] as readonly unknown[];
        const session = await following(name);
        for (const { kind, share } of turns) {
          const upTo = 1 + Math.floor(share * (items.length - 1));
          const sent = items.slice(0, upTo);
          const other =
            kind === 0 ? sent.map((item, at) => (at === upTo - 1 ? inOtherWords(item) : item)) : sent;
          const fresh = kind === 1 ? (JSON.parse(JSON.stringify(other)) as unknown[]) : other;
          await session.follow({ ...whole, [format.messagesField]: fresh });
        }
        await session.follow(whole);
        const once = await following(name);
        await once.follow(whole);
        expect(await cameTo(session)).toEqual(await cameTo(once));
      }),
      { numRuns: 25 },
    );
  });

  it('is looked into once to compare it, and not again to parse what was parsed before', async () => {
    const whole = bodyOf(format, 7, 30);
    let looks = 0;
    const watched = (whole[format.messagesField] as readonly object[]).map(
      (item) =>
        new Proxy(item, {
          get: (target, key) => {
            // Who speaks says where a message ends.
            if (key !== 'role' && key !== 'type') looks++;
            return Reflect.get(target, key) as unknown;
          },
        }),
    );
    const session = await following(name);
    await session.follow({ ...whole, [format.messagesField]: watched.slice(0, -1) });
    looks = 0;
    await session.follow({ ...whole, [format.messagesField]: watched });
    const fields = (whole[format.messagesField] as readonly object[]).flatMap((item) =>
      Object.keys(item).filter((key) => key !== 'role' && key !== 'type'),
    );
    // Responses asks some of them once more for where a message ends.
    expect(looks).toBeLessThan(1.5 * fields.length);
  });
});

function inOtherWords(item: unknown): unknown {
  return JSON.parse(
    JSON.stringify(item, (key, value: unknown) =>
      (key === 'text' || key === 'content') && typeof value === 'string' ? `${value} Or not.` : value,
    ),
  );
}

describe('a history of which only the instructions and the end change', () => {
  it('is compared with the log once, however often it is sent', async () => {
    const items = times(50, (at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Words ${at}.` }));
    const session = await following('openai-chat');
    const sent = (day: string, upTo: number) => ({
      messages: [{ role: 'system', content: `Today is ${day}.` }, ...items.slice(0, upTo)],
    });
    await session.follow(sent('Monday', 40));
    const tuesday = await session.follow(sent('Tuesday', 41));
    expect([tuesday.appended.length, tuesday.rewound]).toEqual([1, undefined]);
    const back = await session.follow(sent('Wednesday', 30));
    expect(back.rewound).toEqual({ to: 31, left: 11 });
    const on = await session.follow(sent('Thursday', 50));
    expect([on.appended.length, on.rewound]).toEqual([20, undefined]);
    expect((await session.prepare()).messages).toEqual(sent('Thursday', 50).messages);
  });

  const measure = () => ({ tokens: 0, bytes: 0, images: 0, parts: [] });
  const newFollower = () =>
    new Follower(formats.get('openai-chat')!, {
      measure,
      measureTools: () => ({ tokens: 0, bytes: 0, images: 0 }),
    });
  const said = (...words: string[]) => ({
    messages: words.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content })),
  });
  /** A session that is its log and nothing else. */
  const bare = (log: Message[], more: Partial<FollowedSession> = {}): FollowedSession => ({
    get known() {
      return [...log];
    },
    view: [],
    append: (messages) => Promise.resolve(void log.push(...messages)),
    rewind: (last) => Promise.resolve(void (log.length = last ? log.indexOf(last) + 1 : 0)),
    branch: 0,
    freeId: (name) => name,
    fixed: () => undefined,
    ask: () => undefined,
    ...more,
  });

  it('is compared again after a turn that failed', async () => {
    const log: Message[] = [];
    let refuses = false;
    const { rewind } = bare(log);
    const kept = bare(log, {
      rewind: (...leaving) => (refuses ? Promise.reject(new Error('no store')) : rewind(...leaving)),
    });
    const follower = newFollower();
    await follower.follow(said('Build.', 'Gladly.', 'Go on.'), kept, {});
    refuses = true;
    const edited = said('Build.', 'Never.', 'Go on.');
    await expect(follower.follow(edited, kept, {})).rejects.toThrow('no store');
    refuses = false;
    expect((await follower.follow(edited, kept, {})).rewound).toEqual({ to: 1, left: 2 });
    expect(log.map(({ wire }) => wire)).toEqual(edited.messages);
  });

  it.each([
    ['the same', said('Build.', 'Gladly.', 'Go on.')],
    ['others', said('Build.', 'Never.', 'Go on.')],
  ])('is compared again where another process stored %s messages under its ids', async (_, theirs) => {
    const log: Message[] = [];
    const stored = formats.get('openai-chat')!.parse(theirs).messages;
    const { append } = bare(log);
    let isTaken = false;
    const kept = bare(log, {
      append: async (messages) => {
        if (isTaken) return append(messages);
        isTaken = true;
        log.push(...stored.slice(log.length));
        throw new SpillwayError('MESSAGE_ID_TAKEN', {
          subject: 'message id',
          found: 'm1',
          remedy: 'Take another.',
        });
      },
    });
    log.push(stored[0]!);
    const ours = said('Build.', 'Gladly.', 'Go on.');
    await newFollower().follow(ours, kept, {});
    expect(log.map(({ wire }) => wire)).toEqual(ours.messages);
    // An id that nobody else took is the client's own fault.
    const alone = bare([], {
      append: () =>
        Promise.reject(
          new SpillwayError('MESSAGE_ID_TAKEN', {
            subject: 'message id',
            found: 'm0',
            remedy: 'Take another.',
          }),
        ),
    });
    await expect(newFollower().follow(ours, alone, {})).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
  });
});

describe('commands in a history', () => {
  const said = (...words: string[]) =>
    words.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content }));

  it('are found at any place, and stay out as the history goes on, back and on again', async () => {
    const session = await following('openai-chat');
    const history = said(
      'Build.',
      'Gladly.',
      '/compact',
      '[spillway] Nothing to do.',
      'Go on.',
      'Done.',
      'And?',
    );
    for (const upTo of [1, 3, 5, 7, 4, 2, 3, 7]) {
      const { command } = await session.follow({ messages: history.slice(0, upTo) }, { commands: true });
      expect([upTo, command]).toEqual([upTo, upTo === 3 ? 'compact' : undefined]);
      const wanted = history.slice(0, upTo).filter((_, at) => at !== 2 && at !== 3);
      expect((await session.prepare()).messages).toEqual(wanted);
    }
  });
});
