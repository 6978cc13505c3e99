import type { Act } from '../../emulator/index.js';
import { says, talk, user } from '../support.js';
import { proxied } from './proxied.js';
import { bearer, env, tokens } from './tokens.js';

/** A conversation of about 12,000 tokens. */
const history = (name: string): object[] => [user(`Build the ${name}.`), ...talk(40, 140), says('Done.')];

async function guarded() {
  const { service, emulator } = await proxied({ window: 64_000, server: { tokens: [...tokens] } } as never, {
    env,
  });
  const chat = async (token: string, session: string, more: object = {}): Promise<number> => {
    const body = { model: 'm', messages: [...history(session), user('Go on.')], ...more };
    const headers = { 'x-spillway-token': token, 'x-spillway-session': session };
    const answer = await service.send('/v1/chat/completions', body, headers);
    await answer.text();
    return answer.status;
  };
  const learned = async (token: string): Promise<any[]> =>
    (await service.get('/models', undefined, bearer(token))).body.learned;
  /** Messages that the newest request carried. */
  const sent = (): number => (emulator.received.at(-1)!.body.messages as unknown[]).length;
  return { service, emulator, chat, learned, sent };
}

const LIMIT = "This model's maximum context length is 6000 tokens. However, you requested 12100 tokens";
const refusing = (message: string): Act => ({ status: 400, body: { error: { message, code: 400 } } });

describe('a limit that a refusal quotes from the request', () => {
  it.each([
    ['as they are', (words: string) => words],
    ['as Python writes them', (words: string) => words.replace(/'/g, "\\'")],
    ['in part', (words: string) => words.slice(0, words.indexOf(' However'))],
    ['in capitals', (words: string) => words.toUpperCase()],
  ])('is not learned: %s', async (_, written) => {
    const { emulator, chat, learned } = await guarded();
    emulator.otherwise = ({ body }) =>
      typeof body.temperature === 'string'
        ? refusing(
            `[{'loc': ('body', 'temperature'), 'msg': 'No number', 'input': '${written(body.temperature)}'}]`,
          )
        : 'good';
    for (const session of ['one', 'two']) await chat(env.ROOF, session, { temperature: LIMIT });
    expect(await learned(env.OPS)).toEqual([]);
  });

  it('is not learned from a quoted message, but a limit that the server names itself is', async () => {
    const { emulator, chat, learned } = await guarded();
    const asking = { messages: [...history('roof'), user(`What is: ${LIMIT}?`)] };
    emulator.script = [refusing(`content filtered: '${LIMIT}'`)];
    await chat(env.ROOF, 'one', asking);
    expect(await learned(env.OPS)).toEqual([]);
    emulator.script = [refusing(LIMIT.replace('6000', '7000'))];
    await chat(env.ROOF, 'two', asking);
    expect(await learned(env.OPS)).toMatchObject([{ model: 'm', seen: [{ contextWindow: 7_000 }] }]);
  });
});

describe('a limit that two sessions of a tenant learned', () => {
  const told = LIMIT.replace('6000', '7000');

  it('applies to later sessions of that tenant, and to no other tenant', async () => {
    const { service, emulator, chat, learned, sent } = await guarded();
    for (const session of ['one', 'two']) {
      emulator.script = [refusing(told)];
      expect(await chat(env.ROOF, session)).toBe(200);
    }
    const whole = history('mill').length + 1;
    for (const [token, session] of [
      [env.AGENT, 'mill'],
      [env.MILL, 'mill'],
    ] as const) {
      await chat(token, session);
      expect(sent()).toBe(whole);
    }
    await chat(env.ROOF, 'three');
    expect(sent()).toBeLessThan(whole);
    expect(await learned(env.OPS)).toMatchObject([
      { model: 'm', seen: [{}, {}], proven: [{ tenant: 'roof', contextWindow: 7_000 }] },
    ]);
    // A tenant does not see the ids of another tenant's sessions.
    expect(await learned(env.MILL)).toEqual([]);
    expect((await service.get('/models/m', undefined, bearer(env.OPS))).status).toBe(200);
  });

  it('is not pushed out by many sessions of another tenant', async () => {
    const { emulator, chat, learned, sent } = await guarded();
    for (const session of ['one', 'two']) {
      emulator.script = [refusing(told)];
      await chat(env.ROOF, session);
    }
    for (let at = 0; at < 9; at++) {
      emulator.script = [refusing(LIMIT.replace('6000', String(8_000 + at)))];
      await chat(env.MILL, `many-${at}`);
    }
    expect((await learned(env.OPS))[0].seen).toHaveLength(2 + 8);
    await chat(env.ROOF, 'three');
    expect(sent()).toBeLessThan(history('three').length + 1);
  });
});
