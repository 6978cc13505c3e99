import { join } from 'node:path';
import Libsql from 'libsql';
import { openStore, SpillwayError, type SessionStore } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { says, system, spillway, talk, temporaryFolder, user, type Chat } from '../support.js';
import { BUDGET, proxied } from './proxied.js';
import { started, type Said, type Started } from './support.js';
import { but, place } from '../sessions/stores.js';
import { tab } from '../page/browser.js';
import { look } from '../page/support.js';

const folder = temporaryFolder();

const full = () =>
  Promise.reject(
    new SpillwayError('STORE_FULL', { subject: 'store', found: 'a full disk', remedy: 'Make room.' }),
  );

/** A store that fails at everything, or only at writes, as long as it `fails`. */
async function failing(what: 'writes' | 'all'): Promise<{ store: SessionStore; fails: boolean }> {
  const kept = await openStore('memory:');
  const state = { store: kept, fails: true };
  const reads = new Set<unknown>(['load', 'messages', 'events', 'value', 'values', 'list', 'usage']);
  state.store = new Proxy(kept, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function' || name === 'close') return own;
      return (...given: unknown[]) =>
        state.fails && (what === 'all' || !reads.has(name))
          ? full()
          : (Reflect.apply(own, target, given) as unknown);
    },
  });
  return state;
}

const PATHS = { 'openai-chat': '/v1/chat/completions', anthropic: '/v1/messages' } as const;

describe.each(['writes', 'all'] as const)('N13: a store that refuses %s from the first', (what) => {
  it.each(['openai-chat', 'anthropic'] as const)(
    'leaves a new conversation of %s compacted and in one session, and stores it when it is back',
    async (format) => {
      const state = await failing(what);
      state.fails = false;
      const { service, emulator } = await proxied({}, { store: state.store });
      state.fails = true;
      const history: Chat[] = [...talk(4, 200), user('Build the mill.'), says('Gladly.')];
      const ids = new Set<string | null>();
      const ask = async (words: string): Promise<void> => {
        history.push(...talk(12, 320), user(words));
        const head = format === 'anthropic' ? { system: 'Be brief.', max_tokens: 50 } : {};
        const messages = format === 'anthropic' ? history : [system('Be brief.'), ...history];
        const answer = await service.send(PATHS[format], { model: 'm', ...head, messages });
        expect(answer.status).toBe(200);
        ids.add(answer.headers.get('x-spillway-session'));
        expect(answer.headers.get('x-spillway-degraded')).toBe(state.fails ? 'STORE_FULL' : null);
        const { text, body } = emulator.received.at(-1)!;
        expect(text).toContain(words);
        expect(text.length / 4).toBeLessThan(BUDGET * 1.1);
        expect(validators.get(format)!(body)).toEqual([]);
        history.push(says('Done.'));
      };
      for (const words of ['And the wheel?', 'And the roof?', 'And the door?']) await ask(words);
      expect(ids.size).toBe(1);
      expect(service.lines.join('')).not.toContain('passed by');
      expect(service.lines.join('')).toContain('store-failed');
      state.fails = false;
      await ask('And the wall?');
      expect(ids.size).toBe(1);
      const stored = await state.store.load({ sessionId: [...ids][0]!, agentPath: 'primary' });
      expect(stored).toBeDefined();
    },
  );
});

it('N13: a session that is created while the store takes no writes works, is marked as degraded, and is stored later', async () => {
  const state = await failing('writes');
  state.fails = false;
  const service = await started(4_000, {}, { store: state.store });
  state.fails = true;
  const make = () => service.post('/sessions', { id: 'late', format: 'anthropic', model: 'm' });
  const request = { messages: [user('Build the mill.')] };
  const degraded = ({ status, headers }: Said) => [status, headers.get('x-spillway-degraded')];
  expect(degraded(await make())).toEqual([200, 'STORE_FULL']);
  expect(degraded(await make())).toEqual([200, 'STORE_FULL']);
  expect(degraded(await service.post('/sessions/late/prepare', { request }))).toEqual([200, 'STORE_FULL']);
  expect(degraded(await service.post('/sessions/late/compact'))).toEqual([200, 'STORE_FULL']);
  expect(service.lines.filter((line) => line.includes('"store-failed"')).length).toBeGreaterThanOrEqual(4);
  state.fails = false;
  expect(degraded(await make())).toEqual([200, null]);
  expect(degraded(await service.post('/sessions/late/compact'))).toEqual([200, null]);
  const after = await started(4_000, {}, { store: state.store });
  expect((await after.get('/sessions/late')).body).toMatchObject({ format: 'anthropic', messages: 1 });
});

it('N13: an answer is not marked as degraded for a store that failed in an earlier call whose client had gone', async () => {
  const state = await failing('writes');
  state.fails = false;
  let isAsked = false;
  let fail = (): void => undefined;
  const late = new Promise<void>((resolve) => (fail = resolve));
  const hanging = but(state.store, {
    write: async (...given) => {
      if (state.fails) await ((isAsked = true), late);
      return state.store.write(...given);
    },
  });
  const { service } = await proxied({}, { store: hanging });
  const logged = async (words: string): Promise<void> => {
    while (!service.lines.some((line) => line.includes(words)))
      await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const messages: Chat[] = [user('Build the mill.')];
  const ask = (signal?: AbortSignal) => {
    const named = { 'x-spillway-session': 'mill' };
    return service.send(PATHS['openai-chat'], { model: 'm', messages }, named, signal);
  };
  await ask();
  messages.push(says('Done.'), user('And the wheel?'));
  state.fails = true;
  const gone = new AbortController();
  const asked = ask(gone.signal).catch(() => undefined);
  while (!isAsked) await new Promise((resolve) => setTimeout(resolve, 2));
  gone.abort();
  await Promise.all([asked, logged('"status":499')]);
  fail();
  await logged('"store-failed"');
  state.fails = false;
  messages.push(says('Done.'), user('And the roof?'));
  expect((await ask()).headers.get('x-spillway-degraded')).toBeNull();
});

it('N13: an empty session that was created while the store was away is stored with the next probe', async () => {
  const state = await failing('writes');
  state.fails = false;
  const service = await started(4_000, {}, { store: state.store });
  state.fails = true;
  await service.post('/sessions', { id: 'late', format: 'anthropic', model: 'm' });
  state.fails = false;
  expect(await (await fetch(`${service.url}/ready`)).json()).toMatchObject({ status: 'ready' });
  while (!(await state.store.value('service.sessions', '["late","primary"]')))
    await new Promise((resolve) => setTimeout(resolve, 2));
  const after = await started(4_000, {}, { store: state.store });
  expect((await after.get('/sessions/late')).body.format).toBe('anthropic');
});

it.each([undefined, 'mill'])(
  'N13: a store that cannot be read leaves a conversation compacted and in one session: named %s',
  async (name) => {
    const kept = await openStore('memory:');
    const damaged = new SpillwayError('STORE_DAMAGED', { subject: 'store', remedy: 'Restore it.' });
    kept.load = () => Promise.reject(damaged);
    const { service, emulator } = await proxied({}, { store: kept });
    const history: Chat[] = [];
    const ids = new Set<string | null>();
    for (const words of ['And the wheel?', 'And the roof?', 'And the door?']) {
      history.push(...talk(12, 320), user(words));
      const named = name === undefined ? undefined : { 'x-spillway-session': name };
      const answer = await service.send(PATHS['openai-chat'], { model: 'm', messages: history }, named);
      expect(answer.status).toBe(200);
      ids.add(answer.headers.get('x-spillway-session'));
      expect(emulator.received.at(-1)!.text.length / 4).toBeLessThan(BUDGET * 1.1);
      history.push(says('Done.'));
    }
    expect(ids.size).toBe(1);
    expect(service.lines.join('')).not.toContain('passed by');
    expect(service.lines.join('')).toContain('STORE_DAMAGED');
  },
);

it.each([
  ['is asked whether it is ready', ({ url }: Started) => fetch(`${url}/ready`)],
  ['gets other knobs', (one: Started) => one.patch('/knobs', { changes: { target: 0.5 } })],
  ['stops', (one: Started) => one.close()],
])('N13: a store that is back gets what was kept in memory when the service %s', async (_, act) => {
  const { store, again } = await place('sqlite');
  let isAway = false;
  const write: SessionStore['write'] = (...given) => (isAway ? full() : store.write(...given));
  const note: SessionStore['note'] = (...given) => (isAway ? full() : store.note(...given));
  const { service } = await proxied({}, { store: but(store, { write, note }) });
  const history: Chat[] = [user('Build the mill.')];
  const ask = () =>
    service.send(PATHS['openai-chat'], { model: 'm', messages: history }, { 'x-spillway-session': 'mill' });
  await ask();
  history.push(says('Gladly.'), user('And the wheel.'));
  isAway = true;
  expect((await ask()).status).toBe(200);
  isAway = false;
  await act(service);
  const other = await again();
  const key = { sessionId: 'mill', agentPath: 'primary' };
  while ((await other.usage(key))[0]?.calls !== 2) await new Promise((resolve) => setTimeout(resolve, 2));
  expect((await other.load(key))!.head.messages).toBe(3);
});

describe('N13: a store in which some sessions are damaged', () => {
  const [GOOD, HURT, TORN] = ['good', 'hurt', 'torn'] as const;
  const ofThread = (id: string): string =>
    `thread_id = (select id from spillway_thread where session_id like '%${id}%')`;

  it('lists them with the code of their fault, and leaves them out of totals', async () => {
    const store = `sqlite:${join(folder.path, 'damaged.db')}`;
    const settings = { compaction: { approval: 'ask' } } as const;
    const before = await started(4_000, settings, { store });
    for (const id of [GOOD, HURT, TORN]) {
      await before.post('/sessions', { id });
      const request = { model: 'm', messages: [...talk(12, 150), user('And now?')] };
      await before.post(`/sessions/${id}/prepare`, { request });
      await before.post(`/sessions/${id}/compact`, { lower_threshold: 0.8 });
      const planned = await before.post(`/sessions/${id}/plans`, { lower_threshold: 0.2 });
      await before.post(`/sessions/${id}/plans/${planned.body.plan.hash}/propose`);
    }
    const { body: whole } = await before.get('/effect');
    await before.close();
    const database = new Libsql(join(folder.path, 'damaged.db'));
    database.exec(`update spillway_message set body = '{' where seq = 1 and ${ofThread(HURT)};
      update spillway_entry set body = '{' where ${ofThread(TORN)};
      update spillway_checkpoint set body = '{}' where ${ofThread(TORN)}`);
    database.close();

    const service = await started(4_000, settings, { store });
    const { body: listed } = await service.get('/sessions');
    const byId = new Map(listed.items.map((one: any) => [one.id, one]));
    expect([...byId.keys()].sort()).toEqual([GOOD, HURT, TORN]);
    expect(byId.get(GOOD)).toMatchObject({ compactions: 1, pending: expect.any(String) });
    expect(byId.get(GOOD)).not.toHaveProperty('fault');
    for (const id of [HURT, TORN]) {
      expect(byId.get(id)).toMatchObject({ messages: 25, fault: 'STORE_DAMAGED' });
      expect(byId.get(id)).not.toHaveProperty('compactions');
      expect((await service.get(`/sessions/${id}`)).body.error.code).toBe('STORE_DAMAGED');
    }
    const { body: inbox } = await service.get('/inbox');
    expect(inbox).toMatchObject({ items: [{ sessionId: GOOD }], skipped: 2 });
    const { body: effect } = await service.get('/effect');
    expect(effect.skipped).toBe(2);
    expect([whole.compactions.committed, effect.compactions.committed]).toEqual([3, 1]);
    const { code, out } = await spillway(['sessions', '--store', store]);
    expect([code, out.match(/STORE_DAMAGED/g)]).toEqual([0, ['STORE_DAMAGED']]);
    for (const id of [GOOD, HURT, TORN]) expect(out).toContain(id);

    const page = await tab();
    await look(page, service);
    await page.getByRole('row', { name: new RegExp(`${HURT}.*STORE_DAMAGED`) }).waitFor();
    await page.getByRole('row', { name: new RegExp(`${GOOD}.*waits`) }).waitFor();
    await page.getByText('Left out: 2 sessions that cannot be read').waitFor();
    await page.getByRole('link', { name: 'Open the inbox' }).click();
    await page.getByRole('region', { name: `Plan of ${GOOD}` }).waitFor();
    await page.getByText('Left out: 2 sessions that cannot be read').waitFor();
    expect(page.complaints).toEqual([]);
  });
});
