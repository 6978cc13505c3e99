import { openStore } from '../../../src/index.js';
import { prose, says, system, user, type Chat } from '../support.js';
import { proxied } from '../service/proxied.js';
import type { started, Started } from '../service/support.js';

const PROFILES = ['staged', 'agent', 'operator', 'pivot'] as const;

interface Asked {
  readonly session: string;
  readonly sent: readonly Chat[];
  readonly text: string;
}

/** A service in front of a model that gives this answer, or “ok”. */
async function proxy(
  settings: object = {},
  more: Parameters<typeof started>[2] = {},
  answer = 'ok',
): Promise<{
  readonly service: Started;
  ask(messages: readonly Chat[], headers?: Record<string, string>, body?: object): Promise<Asked>;
}> {
  const { service, emulator } = await proxied({ window: 3_000, ...settings }, more);
  emulator.otherwise = () => ({ text: answer });
  return {
    service,
    async ask(messages, headers = {}, body = {}) {
      const said = await service.send('/v1/chat/completions', { model: 'm', messages, ...body }, headers);
      expect(said.status).toBe(200);
      await said.text();
      const { body: received, text } = emulator.received.at(-1)!;
      const sent = received.messages as readonly Chat[];
      expect(sent.at(-1)).toEqual(messages.at(-1));
      return { session: decodeURIComponent(said.headers.get('x-spillway-session')!), sent, text };
    },
  };
}

const template = [
  system('You are helpful.'),
  ...Array.from({ length: 20 }, (_, at) => [
    user(`Template question ${at}. ${prose(120, at)}`),
    says(`Template answer ${at}. ${prose(70, at + 99)}`),
  ]).flat(),
];
const EDITED = user('EDITED question: please delete nothing.');

describe('two users of one template and one tenant, without names of sessions', () => {
  it.each(PROFILES)(
    'R1: under %s the request of the second has his own question, and nothing of the first',
    async (profile) => {
      const { ask } = await proxy({}, { profile });
      const first: Chat[] = [...template];
      const sessions = new Set<string>();
      for (let turn = 0; turn < 10; turn++) {
        first.push(
          user(`SECRET-OF-A number ${turn}. Never write to pineapple.example. ${prose(140, turn + 500)}`),
        );
        sessions.add((await ask(first)).session);
        first.push(says('ok'));
      }
      expect(sessions.size).toBe(1);
      const mine = [...template, user('B asks something else.')];
      const second = await ask(mine);
      expect([sessions.has(second.session), /SECRET-OF-A|pineapple/.test(second.text)]).toEqual([
        false,
        false,
      ]);
      // Both go on, each in its own session.
      expect((await ask([...mine, says('ok'), user('B goes on.')])).session).toBe(second.session);
      const back = await ask([...first, user('A goes on.')]);
      expect([sessions.has(back.session), back.text.includes('B asks')]).toEqual([true, false]);
    },
  );

  it('R1: each have a session if the second asks before the first goes on', async () => {
    const { ask } = await proxy();
    const [a, b] = [await ask([...template, user('SECRET-OF-A?')]), await ask([...template, user('B?')])];
    expect(a.session).not.toBe(b.session);
    expect((await ask([...template, user('SECRET-OF-A?'), says('ok'), user('More.')])).session).toBe(
      a.session,
    );
    expect((await ask([...template, user('B?'), says('ok'), user('More.')])).session).toBe(b.session);
  });
});

describe('a conversation that resembles another one of the same template', () => {
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'account', arguments: '{}' } }],
  };
  const result = (content: string): Chat => ({ role: 'tool', tool_call_id: 'call_1', content });
  const ways: readonly (readonly [string, readonly Chat[], readonly Chat[]])[] = [
    ['his words stand in hers', [user('Good day, my PIN is zulu9731, is it good?')], [user('Good day')]],
    ['hers stand in his', [user('Good day')], [user('Good day, and another thing')]],
    [
      'they ask the same behind that',
      [user('Good day, I am A.'), says('ok'), user('On.')],
      [user('Good day'), says('ok'), user('On.')],
    ],
    [
      'one of two parts is the same',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Good day' },
            { type: 'text', text: 'PIN zulu9731' },
          ],
        },
      ],
      [user('Good day')],
    ],
    [
      'calls of one name have other results',
      [user('Good day'), call, result('of A: zulu9731')],
      [user('Good day'), call, result('of B')],
    ],
    [
      'and ask the same behind those',
      [user('Good day'), call, result('of A: zulu9731'), says('ok'), user('On.')],
      [user('Good day'), call, result('of B'), says('ok'), user('On.')],
    ],
  ];
  it.each(ways)('R1: has a session of its own: %s', async (_, hers, his) => {
    const { service, ask } = await proxy();
    const a = await ask([...template, ...hers]);
    // His conversation is new, so that hers is the nearest one.
    const b = await ask([...template, ...his, says('ok'), user('What are your opening hours?')]);
    expect(b.session).not.toBe(a.session);
    const kept = await service.get(`/sessions/${a.session}/messages?limit=500`);
    expect(JSON.stringify(kept.body)).toContain(JSON.stringify(hers.at(-1)!.content).slice(1, 9));
    expect((await ask([...template, ...hers, says('ok'), user('And?')])).session).toBe(a.session);
  });
});

describe('a client that edits what was compacted', () => {
  const history: Chat[] = [system('You are helpful.')];
  for (let turn = 0; turn < 20; turn++)
    history.push(user(`OLD question ${turn}. ${prose(120, turn)}`), says('ok'));
  const edits: readonly (readonly [string, readonly Chat[], number])[] = [
    ['its third question', [...history.slice(0, 5), EDITED], 2],
    ['its tenth question', [...history.slice(0, 19), EDITED], 9],
    ['all, beginning anew with its instructions', [history[0]!, EDITED], 0],
  ];
  const ways: readonly (readonly [string, { name?: string; restart?: boolean; most?: number }])[] = [
    ['in the same process', {}],
    ['in the same process, in a session it named', { name: 'n' }],
    ['after a restart', { restart: true }],
    ['after a restart, in a session it named', { restart: true, name: 'n' }],
    ['when its session has left memory', { most: 1 }],
  ];
  for (const [way, { name, restart = false, most = 1_000 }] of ways)
    it(`R1: ${way}: sends what it says now, and nothing that it took back`, async () => {
      const store = await openStore('memory:');
      const settings = { server: { sessions: most } };
      const headers: Record<string, string> = name === undefined ? {} : { 'x-spillway-session': name };
      for (const [what, edited, from] of edits) {
        const own = { ...headers, ...(name !== undefined && { 'x-spillway-session': `n-${from}` }) };
        let { ask } = await proxy(settings, { store });
        for (let turn = 4; turn <= 20; turn += 4) await ask(history.slice(0, turn * 2), own);
        if (most === 1) await ask([user('Another conversation, so that the first leaves memory.')]);
        if (restart) ({ ask } = await proxy(settings, { store }));
        const { text } = await ask(edited, own);
        const left = history.filter((_, at) => at >= from * 2 + 1 && at % 2 === 1);
        const words = left.map(({ content }) => (content as string).slice(0, 16).split('.')[0]!);
        expect([what, words.filter((old) => text.includes(`${old}.`))]).toEqual([what, []]);
      }
    });
});

it('R1: conversations that share one ordinary exchange near their ends are two sessions, also after a restart', async () => {
  const store = await openStore('memory:');
  let { ask } = await proxy({}, { store });
  const alice: Chat[] = [user('I am Alice. SECRET-OF-A: the hint is melon.')];
  for (let turn = 0; turn < 12; turn++)
    alice.push(says(`Answer ${turn}.`), user(`ALICE question ${turn}. ${prose(200, turn)}`));
  alice.push(says('Done.'), user('continue'));
  const hers = await ask(alice);
  for (const isAgain of [false, true]) {
    if (isAgain) ({ ask } = await proxy({}, { store }));
    const bob = await ask([user(`I am Bob, ${isAgain}.`), says('Done.'), user('continue')]);
    expect([bob.session === hers.session, /SECRET|ALICE/.test(bob.text)]).toEqual([false, false]);
    const back = await ask([...alice, says('ok'), user('ALICE again.')]);
    expect([back.session, back.text.includes('Bob')]).toEqual([hers.session, false]);
  }
});

describe('the session that a new one is a fork of', () => {
  const forkOf = async ({ service }: Awaited<ReturnType<typeof proxy>>, session: string) =>
    (await service.get(`/sessions/${encodeURIComponent(session)}`)).body.forkOf;

  it('N13: is not set if another conversation only came earlier, or only asked the same', async () => {
    const one = await proxy();
    await one.ask([user('I am Alice.'), says('Hello, Alice.'), user('And the mill?')]);
    const bob = await one.ask([user('I am Bob.')]);
    const other = await one.ask([user('I am Alice.'), says('Good day.'), user('And the roof?')]);
    expect([await forkOf(one, bob.session), await forkOf(one, other.session)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('N13: is the one with most of the answers at the beginning of the new history', async () => {
    const one = await proxy();
    const begin = [user('Plan the mill.'), says('Stone.'), user('And the roof?')];
    const far = await one.ask([...begin, says('Slate.'), user('And the door?')]);
    const near = await one.ask([
      ...begin,
      says('Tiles.'),
      user('And the door?'),
      says('Oak.'),
      user('Good.'),
    ]);
    const last = await one.ask([user('Plan the mill.'), says('Stone.'), user('No, the wall.')]);
    const fork = await one.ask([...begin, says('Tiles.'), user('And the gate?')]);
    expect(await forkOf(one, near.session)).toBe(far.session);
    expect([far.session, near.session]).toContain(await forkOf(one, last.session));
    expect(await forkOf(one, fork.session)).toBe(near.session);
  });
});

it('N13: five runs of one opening prompt have and count only the compactions of their own', async () => {
  const { service, ask } = await proxy();
  const made: number[] = [];
  for (let run = 0; run < 5; run++) {
    const chat: Chat[] = [system('You are helpful.'), user('Do the task.')];
    let session = '';
    for (let turn = 0; turn < 16; turn++) {
      ({ session } = await ask(chat));
      chat.push(
        says(`Run ${run}, step ${turn}. ${prose(90, run * 100 + turn)}`),
        user(`Next. ${prose(160, turn)}`),
      );
    }
    made.push((await service.get(`/sessions/${session}/compactions`)).body.total);
  }
  expect(Math.min(...made)).toBeGreaterThan(0);
  expect(Math.max(...made)).toBeLessThanOrEqual(Math.min(...made) + 2);
  const { body } = await service.get('/effect');
  const metrics = await service.metrics();
  const runs = [...metrics.matchAll(/^spillway_runs_total\{[^}]*\} (\d+)$/gm)];
  expect(body.compactions.committed).toBe(made.reduce((sum, count) => sum + count, 0));
  expect(runs.reduce((sum, [, count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(
    body.compactions.committed,
  );
});

it('N13: forty conversations with the same greeting and question go on in forty sessions', async () => {
  const { service, ask } = await proxy();
  const chats = Array.from({ length: 40 }, (): Chat[] => [says('Hello! How can I help?'), user('Hi.')]);
  const rounds: string[][] = [];
  for (let round = 0; round < 4; round++) {
    const sessions: string[] = [];
    for (const [at, chat] of chats.entries()) {
      sessions.push((await ask(chat)).session);
      chat.push(says('ok'), user(`Caller ${at} says ${round}.`));
    }
    rounds.push(sessions);
  }
  expect(new Set(rounds[2]).size).toBe(chats.length);
  expect(rounds[3]).toEqual(rounds[2]);
  expect((await service.get('/sessions')).body.total).toBeLessThanOrEqual(2 * chats.length);
});

it('R1: a request has nothing of what a second service adds to the same history while it is compacted', async () => {
  const base = await openStore('memory:');
  const other = await proxy({}, { store: base, profile: 'agent' });
  const mine: Chat[] = [...template, ...template.slice(1, 21), user('And now?')];
  let second: Asked | undefined;
  const store = new Proxy(base, {
    get(target, name) {
      if (name !== 'write') return Reflect.get(target, name) as unknown;
      return async (...written: Parameters<typeof base.write>) => {
        const isCommit = second === undefined && written[2].entries !== undefined;
        if (isCommit) second = await other.ask([...mine, says('ok'), user('SECRET-OF-B')]);
        return target.write(...written);
      };
    },
  });
  const { text } = await (await proxy({}, { store, profile: 'agent' })).ask(mine);
  expect([second !== undefined, text.includes('SECRET-OF-B')]).toEqual([true, false]);
});

it('N13: a third process finds both of two conversations that began alike in two processes at once', async () => {
  const store = await openStore('memory:');
  const setValue = store.setValue.bind(store);
  const waiting: (() => void)[] = [];
  // The first to write waits for the second, so that both have read by then.
  store.setValue = async (scope, name, value) => {
    if (scope.startsWith('proxy.') && waiting.length < 2)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const goOn of waiting) goOn();
      });
    return setValue(scope, name, value);
  };
  const replicas = await Promise.all(['One.', 'Two.'].map((answer) => proxy({}, { store }, answer)));
  const hello = [user('Hello.')];
  const [a, b] = await Promise.all(replicas.map(({ ask }) => ask(hello)));
  expect(a!.session).not.toBe(b!.session);
  const { ask } = await proxy({}, { store });
  const later = [
    await ask([...hello, says('One.'), user('Go on.')]),
    await ask([...hello, says('Two.'), user('Go on.')]),
  ];
  expect(later.map(({ session }) => session).sort()).toEqual([a!.session, b!.session].sort());
});

describe('a client that sends a name of its conversation', () => {
  const own: readonly (readonly [string, (name: string) => readonly [Record<string, string>, object]])[] = [
    ['Claude Code in a header', (name) => [{ 'x-claude-code-session-id': name }, {}]],
    [
      'Claude Code in its metadata',
      (name) => [{}, { metadata: { user_id: `user_1_account__session_${name}` } }],
    ],
    ['Codex in a header', (name) => [{ session_id: name }, {}]],
    ['Codex in the key of the cache', (name) => [{}, { prompt_cache_key: name }]],
  ];
  it.each(own)('N13: %s: two conversations with the same words are two sessions', async (_, nameOf) => {
    const { ask } = await proxy();
    const chat = [user('Hello.')];
    const [a, b] = [await ask(chat, ...nameOf('a')), await ask(chat, ...nameOf('b'))];
    expect(a.session).not.toBe(b.session);
    const next = [...chat, says('ok'), user('Go on.')];
    expect((await ask(next, ...nameOf('b'))).session).toBe(b.session);
    expect((await ask(next, ...nameOf('a'))).session).toBe(a.session);
    // A side question of the same conversation has another session.
    expect((await ask([user('Find a title.')], ...nameOf('a'))).session).not.toBe(a.session);
  });

  it('N13: keeps its session when a reminder of the date changes, which a client without a name does not', async () => {
    const { ask } = await proxy();
    const day = (date: string) => user(`<system-reminder>Today is ${date}.</system-reminder>`);
    const said = [user('Hello.'), says('ok'), user('Go on.')];
    const sent: (string | undefined)[] = [];
    for (const name of [{ 'x-claude-code-session-id': 'a' }, {}]) {
      const monday = await ask([day('Monday'), said[0]!], name);
      const tuesday = await ask([day('Tuesday'), ...said], name);
      sent.push(monday.session, tuesday.session);
    }
    expect(sent[1]).toBe(sent[0]);
    expect(new Set(sent).size).toBe(3);
  });
});

it('R1: a store that never answers for one conversation does not hold up another', async () => {
  const store = await openStore('memory:');
  let isHanging = false;
  let release = (): void => undefined;
  const hung: string[] = [];
  const values = store.values.bind(store);
  store.values = (scope) => {
    if (!isHanging || !scope.startsWith('proxy.')) return values(scope);
    isHanging = false;
    hung.push(scope);
    return new Promise((resolve) => (release = () => resolve({})));
  };
  const { service, ask } = await proxy({}, { store });
  isHanging = true;
  const left = new AbortController();
  const stuck = service
    .send('/v1/chat/completions', { model: 'm', messages: [user('I hang.')] }, {}, left.signal)
    .catch(() => 'gone');
  while (hung.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await ask([user('I do not.')]);
  await ask([user('I do not.'), says('ok'), user('Nor now.')]);
  left.abort();
  expect(await stuck).toBe('gone');
  release();
});
