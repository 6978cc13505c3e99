import { jest } from '@jest/globals';
import type { Act } from '../../emulator/index.js';
import { user } from '../support.js';
import { proxied } from './proxied.js';
import { env, tokens } from './tokens.js';

afterEach(() => void jest.restoreAllMocks());

/** What FastAPI says about a field, followed by the complete request. */
const quoting = (body: object): Act => ({
  status: 422,
  body: { detail: [{ type: 'float_parsing', loc: ['body', 'top_p'], msg: 'No number', input: body }] },
});
const unknown: Act = { status: 400, body: { error: { message: 'Unrecognized argument: stream_options' } } };

async function guarded() {
  const { service, emulator } = await proxied({ server: { tokens: [...tokens] } } as never, { env });
  const ask = async (token: string, more: object = {}): Promise<number> => {
    const body = { model: 'm', stream: true, messages: [user('Build the mill.')], ...more };
    const answer = await service.send('/v1/chat/completions', body, { 'x-spillway-token': token });
    await answer.text();
    return answer.status;
  };
  /** Whether the newest request asked for usage. */
  const asked = (): boolean => emulator.received.at(-1)!.body.stream_options !== undefined;
  const told = (): Record<string, unknown>[] =>
    service.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'usage untold');
  return { emulator, ask, asked, told };
}

describe('an upstream that seems to refuse `stream_options`', () => {
  it('is still asked for usage if it only quotes a request that it refuses for something else', async () => {
    const { emulator, ask, asked, told } = await guarded();
    emulator.otherwise = ({ body }) => (typeof body.top_p === 'string' ? quoting(body) : 'good');
    expect(await ask(env.ROOF, { top_p: 'high' })).toBe(422);
    for (const token of [env.ROOF, env.AGENT]) {
      expect(await ask(token)).toBe(200);
      expect(asked()).toBe(true);
    }
    // A refusal that passes may quote the conversation: waiting helped, not the request without the field.
    emulator.script = [{ status: 429, body: { error: { message: 'stream_options: later' } } }];
    expect(await ask(env.ROOF)).toBe(429);
    expect(told()).toEqual([]);
  });

  it('is remembered for the token that met it, logged once, and asked again after an hour', async () => {
    const { emulator, ask, asked, told } = await guarded();
    emulator.otherwise = ({ body }) => (body.stream_options === undefined ? 'good' : unknown);
    expect(await ask(env.ROOF)).toBe(200);
    expect(emulator.received).toHaveLength(2);
    expect(await ask(env.ROOF)).toBe(200);
    expect(emulator.received).toHaveLength(3);
    expect(told()).toEqual([expect.objectContaining({ model: 'm', upstream: expect.any(String) })]);
    emulator.otherwise = 'good';
    await ask(env.ROOF);
    expect(asked()).toBe(false);
    await ask(env.AGENT);
    expect(asked()).toBe(true);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_001);
    await ask(env.ROOF);
    expect(asked()).toBe(true);
  });
});

it.each([
  [0, 7],
  [0, 0],
])(
  'a usage report without input counts as a call only if it has output: %d and %d tokens',
  async (prompt_tokens, completion_tokens) => {
    const { service, emulator } = await proxied();
    const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }];
    emulator.script = [{ status: 200, body: { choices, usage: { prompt_tokens, completion_tokens } } }];
    const request = { model: 'm', messages: [user('Build the mill.')] };
    const answer = await service.send('/v1/chat/completions', request, { 'x-spillway-session': 'mill' });
    expect(answer.status).toBe(200);
    await answer.text();
    const { body } = await service.get('/sessions/mill/costs');
    expect(body.costs.primary.outputTokens).toBe(completion_tokens);
    expect(body.costs.primary.calls).toBe(completion_tokens > 0 ? 1 : 0);
  },
);

it.each([0, 2])(
  'usage that each chunk of a stream repeats counts as one call (recall: %d)',
  async (recall) => {
    const { service, emulator } = await proxied({ server: { recall } } as never);
    emulator.otherwise = { text: 'It stands by the weir, and turns.', usageInEach: true };
    const body = { model: 'm', stream: true, messages: [user('Build the mill.')] };
    const answer = await service.send('/v1/chat/completions', body, { 'x-spillway-session': 'mill' });
    expect((await answer.text()).match(/"prompt_tokens"/g)!.length).toBeGreaterThan(2);
    const { primary } = (await service.get('/sessions/mill/costs')).body.costs;
    expect(primary).toMatchObject({ calls: 1, inputTokens: 800, cacheReadTokens: 200, outputTokens: 50 });
  },
);
