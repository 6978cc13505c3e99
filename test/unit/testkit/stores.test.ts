import type { SessionStore, ThreadHead, ThreadKey, ThreadWrite } from '../../../src/spi/index.js';
import { memoryStore } from '../../../src/stores/index.js';
import { STORE_RULES, type OpenStore, type StoreRule } from '../../../src/testkit/index.js';

/** A memory store that does one thing wrong. */
type Wrong = (right: SessionStore) => Partial<SessionStore>;

const writing =
  (change: (write: ThreadWrite, expected: ThreadHead) => ThreadWrite): Wrong =>
  (right) => ({ write: (key, expected, write) => right.write(key, expected, change(write, expected)) });

const keyed = (change: (key: ThreadKey) => ThreadKey): Wrong => {
  return (right) => ({
    load: (key) => right.load(change(key)),
    write: (key, expected, write) => right.write(change(key), expected, write),
    messages: (key, from, to) => right.messages(change(key), from, to),
    entries: (key, from, to) => right.entries(change(key), from, to),
    events: (key, query) => right.events(change(key), query),
  });
};

const texts = <T>(value: T, change: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? change(one) : one)) as T;

/** Each with the rules that catch it. */
const WRONGS: readonly (readonly [name: string, wrong: Wrong, caughtBy: readonly string[]])[] = [
  [
    'says of a missing thread that it is there',
    (right) => ({ load: async (key) => (await right.load(key)) ?? { head: { messages: 0, entries: 0 } } }),
    ['STORE-01', 'STORE-04'],
  ],
  [
    'loses the last message',
    (right) => ({ messages: async (key, from, to) => (await right.messages(key, from, to)).slice(0, -1) }),
    ['STORE-02'],
  ],
  ['cuts texts at NUL', writing((write) => texts(write, (text) => text.split('\0')[0]!)), ['STORE-02']],
  [
    'mends halves of surrogate pairs',
    writing((write) => texts(write, (text) => Buffer.from(text).toString())),
    ['STORE-02'],
  ],
  [
    'takes the end of a range along',
    (right) => ({ messages: (key, from, to) => right.messages(key, from, to === undefined ? to : to + 1) }),
    ['STORE-03'],
  ],
  [
    'reads all that a thread holds, whatever the range',
    (right) => ({ messages: (key) => right.messages(key, 0) }),
    ['STORE-03'],
  ],
  [
    'ignores the compare-and-swap',
    (right) => ({
      write: async (key, _, write) => {
        const head = (await right.load(key))?.head ?? { messages: 0, entries: 0 };
        const messages = write.messages?.map((message, i) => ({ ...message, seq: head.messages + i }));
        return right.write(key, head, { ...write, ...(messages && { messages }) });
      },
    }),
    ['STORE-04'],
  ],
  [
    'compares the messages alone',
    (right) => ({
      write: async (key, expected, write) => {
        const entries = (await right.load(key))?.head.entries ?? 0;
        return right.write(key, { ...expected, entries }, write);
      },
    }),
    ['STORE-04'],
  ],
  [
    'keeps events of a write that lost',
    (right) => ({
      write: async (key, expected, write) => {
        const head = await right.write(key, expected, write);
        if (!head && write.events) await right.note(key, write.events);
        return head;
      },
    }),
    ['STORE-04'],
  ],
  [
    'reads the head before it waits',
    (right) => ({
      write: async (key, expected, write) => {
        const head = (await right.load(key))?.head ?? { messages: 0, entries: 0 };
        if (head.messages !== expected.messages || head.entries !== expected.entries) return undefined;
        await new Promise((resolve) => setImmediate(resolve));
        const now = (await right.load(key))?.head ?? head;
        const messages = write.messages?.map((message, i) => ({ ...message, seq: now.messages + i }));
        return right.write(key, now, { ...write, ...(messages && { messages }) });
      },
    }),
    ['STORE-05'],
  ],
  [
    'writes half of what it refuses',
    (right) => ({
      write: async (key, expected, write) => {
        try {
          return await right.write(key, expected, write);
        } catch (error) {
          await right.note(key, write.events ?? []);
          await right.write(key, expected, {
            messages: [{ ...write.messages![0]!, id: 'half', seq: expected.messages }],
          });
          throw error;
        }
      },
    }),
    ['STORE-06'],
  ],
  [
    'takes one id twice',
    (right) => ({
      write: (key, expected, write) => {
        const messages = write.messages?.map((message) => ({ ...message, id: `${message.seq}` }));
        return right.write(key, expected, { ...write, ...(messages && { messages }) });
      },
    }),
    ['STORE-06'],
  ],
  ['leaks between threads', keyed(({ sessionId }) => ({ sessionId, agentPath: '' })), ['STORE-07']],
  [
    'joins session and path with a slash',
    keyed(({ sessionId, agentPath }) => ({ sessionId: `${sessionId}/${agentPath}`, agentPath: '' })),
    ['STORE-07'],
  ],
  [
    'does not tell capitals apart',
    keyed(({ sessionId, agentPath }) => ({ sessionId: sessionId.toLowerCase(), agentPath })),
    ['STORE-07'],
  ],
  [
    'cuts long names',
    keyed(({ sessionId, agentPath }) => ({ sessionId: sessionId.slice(0, 255), agentPath })),
    ['STORE-07'],
  ],
  [
    'forgets the checkpoint at the next write',
    (right) => ({
      load: async (key) => {
        const thread = await right.load(key);
        const isNew = thread?.checkpointAt?.messages === thread?.head.messages;
        return thread && (isNew ? thread : { head: thread.head });
      },
    }),
    ['STORE-08'],
  ],
  [
    'takes a checkpoint of null for none',
    writing(({ checkpoint, ...write }) =>
      checkpoint === null || checkpoint === undefined ? write : { ...write, checkpoint },
    ),
    ['STORE-08'],
  ],
  [
    'turns entries round',
    (right) => ({ entries: async (key, from, to) => [...(await right.entries(key, from, to))].reverse() }),
    ['STORE-09'],
  ],
  [
    'tells messages apart by the beginning of an id',
    (right) => {
      const taken = new Set<string>();
      return {
        write: async (key, expected, write) => {
          const long = (write.messages ?? []).filter(({ id }) => id.length > 99);
          for (const name of long.map(({ id }) => JSON.stringify([key, id.slice(0, 99)]))) {
            if (taken.has(name)) throw new Error('taken');
            taken.add(name);
          }
          return right.write(key, expected, write);
        },
      };
    },
    ['STORE-10'],
  ],
  ['cuts large messages', writing((write) => texts(write, (text) => text.slice(0, 1_000_000))), ['STORE-11']],
  [
    'hands out what it holds',
    (right) => {
      const held: unknown[] = [];
      return {
        write: (key, expected, write) => {
          held.push(...(write.messages ?? []));
          return right.write(key, expected, write);
        },
        messages: async (key, from, to) =>
          (await right.messages(key, from, to)).map((_, i) => held[i] as never),
      };
    },
    ['STORE-12'],
  ],
  [
    'sorts events by the clock',
    (right) => ({
      events: async (key, query) => [...(await right.events(key, query))].sort((a, b) => a.at - b.at),
    }),
    ['STORE-13'],
  ],
  [
    'cuts before it turns events round',
    (right) => ({
      events: async (key, { newestFirst, ...query } = {}) => {
        const events = [...(await right.events(key, query))];
        return newestFirst ? events.reverse() : events;
      },
    }),
    ['STORE-13'],
  ],
  [
    'refuses a note on a thread it does not know',
    (right) => ({
      note: async (key, events, usage) => {
        if (!(await right.load(key))) throw new Error('no such thread');
        await right.note(key, events, usage);
      },
    }),
    ['STORE-13', 'STORE-14'],
  ],
  [
    'moves the head with a note',
    (right) => ({
      load: async (key) => {
        const thread = await right.load(key);
        const noted = (await right.events(key)).length;
        return thread && { ...thread, head: { ...thread.head, entries: thread.head.entries + noted } };
      },
    }),
    ['STORE-14'],
  ],
  [
    'takes the last usage for the sum',
    (right) => ({ note: (key, events, usage = []) => right.note(key, events, usage.slice(-1)) }),
    ['STORE-15'],
  ],
  [
    'sums up the session for a thread',
    (right) => ({ usage: ({ sessionId } = {}) => right.usage(sessionId === undefined ? {} : { sessionId }) }),
    ['STORE-15'],
  ],
  [
    'buys an artifact again',
    (right) => {
      const kept = new Map<string, { text: string }>();
      return {
        keepArtifact: async (key, artifact) => (kept.set(key, artifact), artifact),
        artifact: async (key) => kept.get(key) ?? right.artifact(key),
      };
    },
    ['STORE-16'],
  ],
  [
    'has one scope for all values',
    (right) => ({
      value: (_, name) => right.value('', name),
      setValue: (_, name, value) => right.setValue('', name, value),
      values: () => right.values(''),
    }),
    ['STORE-17'],
  ],
  [
    'reads null as nothing',
    (right) => ({ value: async (scope, name) => (await right.value(scope, name)) ?? undefined }),
    ['STORE-17'],
  ],
  [
    'lists the oldest thread first',
    (right) => {
      let tick = 0;
      return {
        threads: async (of) => (await right.threads(of)).map((info) => ({ ...info, updatedAt: ++tick })),
      };
    },
    ['STORE-18'],
  ],
  [
    'lists threads of sessions that begin alike',
    (right) => ({
      threads: async ({ sessionId = '', ...of } = {}) =>
        (await right.threads(of)).filter((info) => info.sessionId.startsWith(sessionId)),
    }),
    ['STORE-18'],
  ],
  ['goes on after it was closed', () => ({ close: async () => undefined }), ['STORE-19']],
];

function made(wrong: Wrong, right = memoryStore()): SessionStore {
  const changed = wrong(right);
  return new Proxy(right, {
    get: (_, name) => {
      const own = changed[name as keyof SessionStore] ?? right[name as keyof SessionStore];
      return typeof own === 'function' ? own.bind(right) : own;
    },
  });
}

/** Of those that open it twice: a way to open it. */
const WRONG_REOPENS: readonly (readonly [name: string, wrong: () => OpenStore, caughtBy: string])[] = [
  ['forgets when it is closed', () => async () => memoryStore(), 'STORE-20'],
  [
    'never sees what another wrote',
    () => {
      const right = memoryStore();
      return async () => {
        let own: ReturnType<SessionStore['load']> | undefined;
        return made(() => ({ load: (key) => (own ??= right.load(key)) }), right);
      };
    },
    'STORE-21',
  ],
  [
    'lets in one at a time',
    () => {
      let opened = 0;
      return async () => {
        if (++opened > 1) throw new Error('the file is locked');
        return memoryStore();
      };
    },
    'STORE-22',
  ],
];

const ruleOf = (id: string): StoreRule => STORE_RULES.find((rule) => rule.id === id)!;

describe('the rules of stores', () => {
  it('have ids of their own, in order', () => {
    const ids = STORE_RULES.map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, i) => `STORE-${String(i + 1).padStart(2, '0')}`));
  });

  it.each(WRONGS)('catch a store that %s', async (_, wrong, caughtBy) => {
    for (const id of caughtBy)
      await expect(ruleOf(id).check(async () => made(wrong))).rejects.toHaveProperty('message');
  });

  it.each(WRONG_REOPENS)('catch a store that %s', async (_, wrong, caughtBy) => {
    await expect(ruleOf(caughtBy).check(wrong())).rejects.toHaveProperty('message');
  });

  it('each catch something', () => {
    const caught = new Set([...WRONGS.flatMap(([, , by]) => by), ...WRONG_REOPENS.map(([, , by]) => by)]);
    expect(STORE_RULES.filter(({ id }) => !caught.has(id))).toEqual([]);
  });
});
