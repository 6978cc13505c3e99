import OpenAI from 'openai';
import { openStore, type SessionStore } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { startEmulator } from '../../emulator/index.js';
import { postgresOfFile } from '../../support/postgres.js';
import { but, place } from '../sessions/stores.js';
import { prose, type Chat } from '../support.js';
import { started, type Said, type Started } from './support.js';

const stores: SessionStore[] = [];
// Closed before their server is.
afterAll(async () => {
  for (const store of stores) await store.close();
});
const postgres = postgresOfFile();

it('N13: replicas on one PostgreSQL serve one agent in one session, and lose or double no message', async () => {
  const url = await postgres.create();
  const emulator = await startEmulator();
  const upstreams = { openai: emulator.url, anthropic: emulator.origin };
  const replica = async (): Promise<Started> => {
    const store = await openStore(url);
    stores.push(store);
    return started(4_000, { server: { upstreams } } as never, { store });
  };
  const replicas = [await replica(), await replica()];
  const clients = replicas.map((one) => new OpenAI({ baseURL: `${one.url}/v1`, apiKey: 'k', maxRetries: 0 }));
  const messages: Chat[] = [];
  const sessions = new Set<string>();
  let asked = 0;
  emulator.otherwise = ({ text }) => ({
    text: `Answer ${asked}.`,
    usage: { inputTokens: Math.ceil(text.length / 4) },
  });
  for (; asked < 16; asked++) {
    messages.push({ role: 'user', content: `Question ${asked}: ${prose(400, asked)}` });
    // Not in turn: each of them misses some of what the other did.
    const client = clients[asked % 5 < 2 ? 0 : 1]!;
    const { data, response } = await client.chat.completions
      .create({ model: 'm', messages: messages as never })
      .withResponse();
    sessions.add(response.headers.get('x-spillway-session')!);
    messages.push(data.choices[0]!.message as never);
  }
  expect(sessions.size).toBe(1);
  for (const { wire, body, text } of emulator.received) {
    expect(validators.get(wire)!(body)).toEqual([]);
    expect(text.length / 4).toBeLessThan(4_600);
  }
  const [id] = sessions;
  const all = await replicas[0]!.get(`/sessions/${id}/messages?limit=500&include_superseded=true`);
  const words = (all.body.items as { status: string; message: { role: string } }[])
    .filter(({ status }) => status !== 'summary')
    .map((entry) => JSON.stringify(entry));
  for (let turn = 0; turn < 16; turn++)
    expect(words.filter((text) => text.includes(`Question ${turn}:`))).toHaveLength(1);
  const seen = await Promise.all(replicas.map((one) => one.get(`/sessions/${id}/compactions`)));
  expect(seen[0]!.body.total).toBeGreaterThan(0);
  expect(seen[1]!.body).toEqual(seen[0]!.body);
});

it('a prepared request ends with its client’s last message, even if another replica rolls back meanwhile', async () => {
  const store = await openStore('memory:');
  let meanwhile: (() => Promise<unknown>) | undefined;
  const write: SessionStore['write'] = async (key, head, what) => {
    const first = what.entries && meanwhile;
    if (first) {
      meanwhile = undefined;
      await first();
    }
    return store.write(key, head, what);
  };
  const [one, other] = [
    await started(4_000, {}, { store: but(store, { write }) }),
    await started(4_000, {}, { store }),
  ];
  await one.post('/sessions', { id: 's' });
  const messages = Array.from({ length: 15 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `${i}: ${prose(300, i)}`,
  }));
  meanwhile = async () => {
    const { body } = await other.get('/sessions/s/log');
    await other.post('/sessions/s/rollback', { message_id: body.items[5].id });
  };
  const { body } = await one.post('/sessions/s/prepare', { request: { model: 'm', messages } });
  expect(meanwhile).toBeUndefined();
  expect(body.messages.at(-1)).toEqual(messages.at(-1));
});

it('K16: histories that are prepared at once in one session at two replicas keep their last message or get a 409', async () => {
  const { store, again } = await place('sqlite');
  const replicas = [await started(4_000, {}, { store }), await started(4_000, {}, { store: await again() })];
  await replicas[0]!.post('/sessions', { id: 'mill' });
  const historyOf = (word: string): Chat[] => [
    ...Array.from({ length: 13 }, (_, i): Chat => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${word} ${i} ${prose(200, i)}`,
    })),
    { role: 'user', content: `The last of ${word}.` },
  ];
  for (let round = 0; round < 15; round++) {
    const words = Array.from({ length: 4 }, (_, i) => `mill ${i}.${round}`);
    const answers = words.map((word, i) =>
      replicas[i % 2]!.post('/sessions/mill/prepare', { request: { messages: historyOf(word) } }),
    );
    for (const [i, { status, body }] of (await Promise.all(answers)).entries()) {
      const newest = JSON.stringify((body as { messages?: Chat[] }).messages?.at(-1));
      if (status === 200) expect(newest).toContain(`The last of ${words[i]}.`);
      else
        expect([status, body]).toEqual([
          409,
          { error: expect.objectContaining({ code: 'LEDGER_CONFLICT' }) },
        ]);
    }
  }
});

it.each([
  ['an operator at another replica rolls back', undefined],
  ['another replica hears the conversation go on otherwise', 'Go left.'],
])(
  'K16: leaves no gap in the log of a client without a session name if meanwhile %s',
  async (_, otherwise) => {
    const emulator = await startEmulator();
    emulator.otherwise = { text: 'Yes.' };
    const settings = { server: { upstreams: { openai: emulator.url, anthropic: emulator.origin } } } as never;
    const store = await openStore('memory:');
    let meanwhile: (() => Promise<unknown>) | undefined;
    const write: SessionStore['write'] = async (key, head, what) => {
      const first = what.messages && meanwhile;
      if (first) meanwhile = undefined;
      await first?.();
      return store.write(key, head, what);
    };
    const one = await started(4_000, settings, { store: but(store, { write }) });
    const other = await started(4_000, settings, { store });
    const says = async (at: Started, messages: Chat[], words: string): Promise<string> => {
      messages.push({ role: 'user', content: words });
      const { headers } = await at.send('/v1/chat/completions', { model: 'm', messages });
      messages.push({ role: 'assistant', content: 'Yes.' });
      return headers.get('x-spillway-session')!;
    };
    const logOf = async (id: string): Promise<string[]> => {
      const { body } = await other.get(`/sessions/${id}/log`);
      return body.items.map(({ preview }: { preview: string }) => preview);
    };
    const messages: Chat[] = [];
    for (const words of ['The first.', 'The second.']) await says(one, messages, words);
    const id = await says(one, messages, 'The third.');
    const theirs = [...messages];
    let beside = id;
    meanwhile = async () => {
      if (otherwise !== undefined) beside = await says(other, theirs, otherwise);
      else await other.post(`/sessions/${id}/rollback`, { message_id: 'm2' });
    };
    messages.push({ role: 'user', content: 'Wait.' }, { role: 'assistant', content: 'I wait.' });
    const own = await says(one, messages, 'The fourth.');
    expect(meanwhile).toBeUndefined();
    const said = (all: readonly Chat[]): unknown[] => all.slice(0, -1).map(({ content }) => content);
    expect(await logOf(own)).toEqual(said(messages));
    expect(await logOf(beside)).toEqual(said(otherwise === undefined ? messages : theirs));
    expect([beside, own === id]).toEqual([id, otherwise === undefined]);
  },
);

it.each(['', ', behind what an operator rolled back'])(
  'shows at one replica what another stored%s, even if it holds messages that its store did not take',
  async (rolledBack) => {
    const store = await openStore('memory:');
    let isAway = false;
    const write: SessionStore['write'] = (key, head, what) =>
      isAway ? Promise.reject(new Error('away')) : store.write(key, head, what);
    const [one, other] = [
      await started(4_000, {}, { store: but(store, { write }) }),
      await started(4_000, {}, { store }),
    ];
    await one.post('/sessions', { id: 's' });
    const messages: Chat[] = [{ role: 'user', content: 'The first.' }];
    const says = (at: Started, ...words: string[]) => {
      for (const [i, content] of words.entries())
        messages.push({ role: i % 2 === 0 ? 'assistant' : 'user', content });
      return at.post('/sessions/s/prepare', { request: { messages } });
    };
    await says(one);
    await says(one, 'Good.', 'Well?');
    isAway = true;
    expect((await says(one, 'Yes.', 'The second.')).status).toBe(200);
    isAway = false;
    if (rolledBack) await other.post('/sessions/s/rollback', { message_id: 'm0' });
    await says(other, 'Well.', 'The third.');
    const { body } = await one.get('/sessions/s/log');
    expect(body.items.map(({ preview }: { preview: string }) => preview)).toEqual(
      messages.map(({ content }) => content),
    );
  },
);

it('K14: reports at each replica what a session spent at all of them, and numbers its calls on', async () => {
  const store = await openStore('memory:');
  const replicas = [await started(4_000, {}, { store }), await started(4_000, {}, { store })];
  await replicas[0]!.post('/sessions', { id: 's' });
  const messages: Chat[] = [];
  for (let turn = 0; turn < 6; turn++) {
    messages.push({ role: 'user', content: `Question ${turn}.` });
    const at = replicas[turn % 2]!;
    await at.post('/sessions/s/prepare', { request: { messages } });
    await at.post('/sessions/s/observe', { input_tokens: 100, output_tokens: 10 });
    messages.push({ role: 'assistant', content: 'Yes.' });
  }
  for (const one of replicas) {
    const { body: spent } = await one.get('/sessions/s/costs');
    expect(spent.costs.primary).toMatchObject({ calls: 6, inputTokens: 600 });
    const { body: told } = await one.get('/sessions/s/calls');
    expect(told.items.map(({ call }: { call: number }) => call)).toEqual([6, 5, 4, 3, 2, 1]);
  }
});

it('K14: stores a session though its provider reports impossible token counts, and bounds them', async () => {
  const url = await postgres.create();
  const emulator = await startEmulator();
  const store = await openStore(url);
  stores.push(store);
  const upstreams = { openai: emulator.url, anthropic: emulator.origin };
  const service = await started(4_000, { server: { upstreams } } as never, { store });
  const messages: Chat[] = [];
  for (const inputTokens of [10.6, 9e15, -5, 10]) {
    emulator.otherwise = { text: 'Yes.', usage: { inputTokens, cacheReadTokens: 0, outputTokens: 1 } };
    messages.push({ role: 'user', content: `Question ${messages.length}.` });
    const headers = { 'x-spillway-session': 's' };
    const answer = await service.send('/v1/chat/completions', { model: 'm', messages }, headers);
    expect([answer.status, answer.headers.get('x-spillway-degraded')]).toEqual([200, null]);
    messages.push({ role: 'assistant', content: 'Yes.' });
  }
  const spent = await service.get('/sessions/s/costs');
  expect(spent.body.costs.primary).toMatchObject({ inputTokens: 1e12 + 21 });
  const stored = JSON.stringify(await store.messages({ sessionId: 's', agentPath: 'primary' }, 0));
  for (const { content } of messages.slice(0, -1)) expect(stored).toContain(content);
  expect((await store.usage()).map((line) => line.inputTokens)).toEqual([1e12 + 21]);
});

it.each([
  ['each write', () => true],
  ['each compaction', (kinds: readonly string[]) => kinds.includes('commit')],
  [
    'every other compaction',
    (kinds: readonly string[], count: number) => kinds.includes('commit') && count % 2 === 0,
  ],
])(
  'N13: sends a client’s own history, compacted, though another replica changes its session before %s',
  async (_, isMeant) => {
    const emulator = await startEmulator();
    const settings = { server: { upstreams: { openai: emulator.url, anthropic: emulator.origin } } } as never;
    const store = await openStore('memory:');
    const historyOf = (word: string): Chat[] =>
      Array.from({ length: 15 }, (_, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `${word} ${i}: ${prose(400, i)}`,
      }));
    let [times, compactions] = [0, 0];
    const write: SessionStore['write'] = async (key, head, what) => {
      const kinds = (what.entries ?? []).map(({ kind }) => kind);
      const takesAway = isMeant(kinds, compactions);
      if (kinds.includes('commit')) compactions++;
      // Otherwise both would go on for ever.
      if (takesAway && times < 30) {
        const request = { messages: historyOf(`other ${times++}`) };
        await other.post('/sessions/mill/prepare', { request });
      }
      return store.write(key, head, what);
    };
    const one = await started(4_000, settings, { store: but(store, { write }) });
    const other = await started(40_000, settings, { store });
    const messages = historyOf('own');
    const headers = { 'x-spillway-session': 'mill' };
    const { status } = await one.send('/v1/chat/completions', { model: 'm', messages }, headers);
    expect([status, times < 20]).toEqual([200, true]);
    const sent = emulator.received.at(-1)!;
    expect(sent.text.length / 4).toBeLessThan(4_200);
    expect((sent.body['messages'] as Chat[]).at(-1)).toEqual(messages.at(-1));
    expect(sent.text).not.toContain('other');
  },
);

it('keeps knobs that are set at two replicas at once', async () => {
  const store = await openStore('memory:');
  let meanwhile = (): Promise<unknown> => Promise.resolve();
  const value: SessionStore['value'] = async (scope, name) => {
    const stored = await store.value(scope, name);
    await meanwhile();
    return stored;
  };
  const one = await started(4_000, {}, { store: but(store, { value }) });
  const other = await started(4_000, {}, { store });
  meanwhile = async () => {
    meanwhile = () => Promise.resolve();
    await other.patch('/knobs', { changes: { target: 0.5 } });
  };
  expect((await one.patch('/knobs', { changes: { 'thresholds.snipThreshold': 0.7 } })).status).toBe(200);
  expect(await store.value('service', 'knobs')).toEqual({ target: 0.5, thresholds: { snipThreshold: 0.7 } });
});

it.each(['commit', 'approve'])(
  'K16: two operators who %s a plan at two replicas at once get the same compaction',
  async (act) => {
    const store = await openStore('memory:');
    let meanwhile: (() => Promise<unknown>) | undefined;
    const write: SessionStore['write'] = async (key, head, what) => {
      const first = meanwhile;
      meanwhile = undefined;
      await first?.();
      return store.write(key, head, what);
    };
    const one = await started(8_000, {}, { store: but(store, { write }) });
    const other = await started(8_000, {}, { store });
    await one.post('/sessions', { id: 's' });
    const messages = Array.from({ length: 25 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${i}: ${prose(200, i)}`,
    }));
    await one.post('/sessions/s/prepare', { request: { messages } });
    const { body: planned } = await one.post('/sessions/s/plans', { lower_threshold: 0.3 });
    const path = `/sessions/s/plans/${planned.plan.hash}`;
    if (act === 'approve') await one.post(`${path}/propose`);
    let theirs: Said | undefined;
    meanwhile = async () => (theirs = await other.post(`${path}/${act}`));
    const ours = await one.post(`${path}/${act}`);
    expect([ours.status, theirs!.status]).toEqual([200, 200]);
    expect(ours.body.record.id).toBe(theirs!.body.record.id);
    expect((await one.get('/sessions/s/compactions')).body.total).toBe(1);
  },
);
