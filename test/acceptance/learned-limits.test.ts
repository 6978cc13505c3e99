import OpenAI from 'openai';
import { compactOpenAI } from '../../src/faces/adapters/index.js';
import { createSpillway, openStore, type Session, type SessionStore } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { quarter, read, sessionOf, spillway, system, talk, temporaryFolder, user } from './support.js';

const folder = temporaryFolder();
const START = [system('Be brief.'), user('Build a mill.')];
const MODEL = { models: { mill: { contextWindow: 200_000, outputLimit: 4_000 } }, safetyMargin: 0 };

const open = async (store: SessionStore, id = 'a', window?: number): Promise<Session> => {
  const options = { counter: quarter, model: 'mill', settings: MODEL, store };
  return (await createSpillway({ ...options, ...(window !== undefined && { window }) })).open({ id });
};

/** A session that has sent a request of about 12,000 tokens. */
async function sent(store: SessionStore, id?: string, window?: number): Promise<Session> {
  const session = await open(store, id, window);
  await session.append(...read([...START, ...talk(40, 140)]));
  await session.prepare();
  return session;
}

const usable = ({ reading }: Session): number => reading.budget.usable;

describe('K2: an error that merely quotes a limit', () => {
  const quoting = [
    {
      name: 'a 422 that gives back the input it refused',
      error: {
        status: 422,
        message:
          '422 {"detail":[{"msg":"Extra inputs are not permitted","input":"maximum context length is 4000 tokens"}]}',
        error: { detail: [{ msg: 'Extra inputs', input: 'maximum context length is 4000 tokens' }] },
      },
    },
    {
      name: 'a failed tool call that quotes what the model wrote',
      error: {
        status: 400,
        error: {
          message: "Failed to call a function. See 'failed_generation' for more details.",
          code: 'tool_use_failed',
          failed_generation: 'vLLM says: maximum context length is 4000 tokens',
        },
      },
    },
    {
      name: 'an error of another kind, whose words quote one',
      error: {
        status: 400,
        error: { code: 'tool_use_failed', message: 'maximum context length is 4000 tokens' },
      },
    },
    {
      name: 'a server error whose words quote one',
      error: { status: 500, error: { message: 'maximum context length is 4000 tokens' } },
    },
    {
      name: 'a figure that no model has',
      error: { status: 400, error: { message: 'maximum context length is 20 tokens' } },
    },
    {
      name: 'a limit that the request was below',
      error: { status: 400, error: { message: 'maximum context length is 150000 tokens' } },
    },
  ];

  it.each(quoting)('K2: changes no limit: $name', async ({ error }) => {
    const store = await openStore('memory:');
    const session = await sent(store);
    const before = usable(session);
    expect(await session.overflowed(error)).not.toHaveProperty('learned');
    expect(usable(session)).toBe(before);
    expect(usable(await open(store))).toBe(before);
    await expect(session.prepare()).resolves.toBeDefined();
  });

  it('K2: changes no limit if a longer request went through before, and the audit says why', async () => {
    const session = await sent(await openStore('memory:'));
    await session.observe({ inputTokens: 11_000 });
    const verdict = await session.overflowed({
      status: 400,
      message: 'prompt is too long: 12000 tokens > 9000 maximum',
    });
    expect(verdict).toMatchObject({ overflow: true });
    expect(verdict).not.toHaveProperty('learned');
    expect(
      (await session.operator.audit()).find(({ kind }) => kind === 'compaction.overflow')!.body,
    ).toMatchObject({
      doubt: 'a request of 11000 tokens went through',
    });
  });

  it('K2: changes no limit if that would leave no room for the floor', async () => {
    const session = await open(await openStore('memory:'));
    await session.append(...read([...START, ...talk(20, 100), user(talk(1, 3_000)[0]!.content as string)]));
    await session.prepare();
    const before = usable(session);
    const verdict = await session.overflowed({ message: 'prompt is too long: 8000 tokens > 2000 maximum' });
    expect(verdict).toMatchObject({ overflow: true, retry: false });
    expect(usable(session)).toBe(before);
    await expect(session.prepare()).resolves.toBeDefined();
  });

  it('K2: does not block the client that asked about it, nor another session of the store', async () => {
    const emulator = await startEmulator();
    const store = await openStore('memory:');
    const engineOf = () => createSpillway({ counter: quarter, model: 'gpt-4o', store });
    const ask = async (id: string, content: string) => {
      const chat = await (await engineOf()).open({ id });
      const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
      const client = compactOpenAI(plain, { chat });
      return client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
    };
    const input = 'Why does my server log say: maximum context length is 20 tokens';
    emulator.script = [{ status: 422, body: { detail: [{ loc: ['body'], msg: 'Extra inputs', input }] } }];
    await expect(ask('a', input)).rejects.toMatchObject({ status: 422 });
    await expect(ask('a', input)).resolves.toBeDefined();
    await expect(ask('b', 'A plain and short question about the weather, please.')).resolves.toBeDefined();
  });
});

describe('K2: refusals that name no limit', () => {
  const refusal = { status: 400, error: { code: 'context_length_exceeded', message: 'Too long.' } };

  it('K2: limit their session from the second on, and no other session', async () => {
    const store = await openStore('memory:');
    const session = await sent(store);
    const before = usable(session);
    await session.overflowed(refusal);
    expect(usable(session)).toBe(before);
    await session.append(...read(talk(40, 140, 7)).map((message, i) => ({ ...message, id: `more-${i}` })));
    const { tokens } = (await session.prepare()).reading;
    expect(await session.overflowed(refusal)).toMatchObject({ learned: { inputLimit: expect.any(Number) } });
    expect(usable(session)).toBeLessThan(tokens);
    expect(usable(await open(store))).toBe(usable(session));
    expect(usable(await open(store, 'b'))).toBe(before);
  });

  it('K2: do not limit it below what went through', async () => {
    const session = await sent(await openStore('memory:'));
    const before = usable(session);
    await session.observe({ inputTokens: 12_000 });
    await session.overflowed(refusal);
    await session.prepare();
    await session.overflowed(refusal);
    expect(usable(session)).toBe(before);
  });

  it('K2: limit it to what went through if that was nearly as much', async () => {
    const session = await sent(await openStore('memory:'));
    await session.overflowed(refusal);
    await session.append(...read(talk(40, 140, 7)).map((message, i) => ({ ...message, id: `more-${i}` })));
    const { tokens } = (await session.prepare()).reading;
    await session.observe({ inputTokens: tokens });
    await session.append({ ...read([user('Go on.')])[0]!, id: 'newest' });
    await session.prepare();
    await session.overflowed(refusal);
    expect(usable(session)).toBe(tokens);
  });
});

describe('K2: a limit that a refusal proves', () => {
  const said = (limit: number, counted = 12_000) => ({
    status: 400,
    error: {
      code: 'context_length_exceeded',
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${counted} tokens.`,
    },
  });

  it('K2: is reported by an event, a warning and the audit if it is below the stated window', async () => {
    const session = await sent(await openStore('memory:'), 'a', 64_000);
    const events: object[] = [];
    session.events.subscribe((event) => events.push(event));
    await session.overflowed(said(10_000));
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'limit-learned', model: 'mill', limits: { contextWindow: 10_000 } }),
    );
    expect(events).toContainEqual({
      kind: 'warning',
      code: 'limit-below-window',
      message: expect.stringMatching(/less than the window of 64000 .* a window of 10000/),
    });
    expect((await session.operator.audit()).map(({ kind }) => kind)).toContain('compaction.limit-learned');
  });

  it.each([
    [64_000, 16_000, {}],
    [16_000, 5_000, {}],
    [128_000, 8_000, { output: 32_000 }],
  ])('K2: leaves a usable budget: stated window %d, real window %d', async (window, real, reserve) => {
    const spill = await createSpillway({ counter: quarter, window, settings: { reserve } });
    const session = spill.session();
    await session.append(...read([...START, ...talk(60, 300)]));
    const sizes: number[] = [];
    for (let call = 0; call < 6; call++) {
      await session.call((request) => {
        sizes.push(request.reading.tokens);
        if (request.reading.tokens > 0.8 * real) throw said(real, request.reading.tokens);
      });
      await session.append(
        ...read(talk(2, 100, 900 + 10 * call)).map((one) => ({ ...one, id: `${call}${one.id}` })),
      );
    }
    expect(sizes.filter((size) => size > 0.8 * real).length).toBeLessThanOrEqual(1);
    expect(session.reading.budget.tokens).toBeGreaterThanOrEqual(0.47 * real);
    expect(sizes.at(-1)!).toBeGreaterThan(0.2 * real);
  });

  it('K2: is stored if several sessions learn it at the same time, for them and for others', async () => {
    const store = await openStore('memory:');
    const sessions = await Promise.all(['a', 'b', 'c'].map((id) => sent(store, id)));
    const before = usable(await open(store, 'd'));
    await Promise.all(sessions.map((session) => session.overflowed(said(10_000))));
    expect(usable(await open(store, 'd'))).toBe(usable(sessions[0]!));
    expect(usable(sessions[0]!)).toBeLessThan(before);
    const own = await Promise.all(['a', 'b', 'c'].map((id) => open(store, id)));
    expect(own.map(usable)).toEqual(sessions.map(usable));
  });

  it('K2: can be listed and forgotten, by the session and on the command line', async () => {
    const url = `sqlite:${folder.path}/limits.db`;
    const store = await openStore(url);
    const session = await sent(store);
    const before = usable(session);
    await session.overflowed(said(10_000));
    expect(usable(session)).toBeLessThan(10_000);
    await session.operator.forgetLimits();
    expect(usable(session)).toBe(before);
    await (await sent(store, 'b')).overflowed(said(10_000));
    await store.close();
    expect((await spillway(['limits', '--store', url])).out).toMatch(
      /^mill {2}for the sessions below alone\n {2}b\/primary {2}window 10,000 {2}\d{4}-/,
    );
    expect((await spillway(['limits', '--store', url, '--forget', 'loom'])).out).toBe(
      'nothing was learned of it\n',
    );
    // A service that has the session open does not see the change.
    expect((await spillway(['limits', '--store', url, '--forget'])).out).toMatch(
      /^forgotten: 1 model\nSessions that a process has open keep it .*DELETE \/api\/v1\/models\/NAME/,
    );
    expect((await spillway(['limits', '--store', url])).out).toBe('no limits were learned\n');
    const again = await openStore(url);
    expect(usable(await open(again, 'b'))).toBe(before);
    await again.close();
  });
});

it.each([
  'However, you requested 8000 output tokens and your prompt contains at least 8001 input tokens, for a total of at least 16001 tokens.',
  'However, you requested 20000 tokens (7000 in the messages, 5000 in the functions, and 8000 in the completion).',
])('K2: only the complete input count of a refusal can change the scale: %s', async (counted) => {
  const session = await sent(await openStore('memory:'));
  const { tokens } = session.reading;
  await session.overflowed({
    status: 400,
    message: `This model's maximum context length is 16000 tokens. ${counted}`,
  });
  expect(tokens).toBeGreaterThan(11_000);
  expect(session.reading.scale).toBeGreaterThan(0.95);
  expect(session.reading.budget.window).toBe(16_000);
});

it('K2: after Anthropic refuses a prompt as too long, the answer of a request is kept free of the proven window', async () => {
  const spill = await createSpillway({ counter: quarter, window: 8_000, settings: { safetyMargin: 0 } });
  const session = spill.session({ format: 'anthropic' });
  await session.append(...read([user('Build a mill.'), ...talk(20, 100)]));
  await session.prepare();
  const { tokens } = session.reading;
  expect(tokens).toBeGreaterThan(4_000);
  await session.overflowed({ status: 400, message: `prompt is too long: ${tokens} tokens > 4000 maximum` });
  await session.append(...read(talk(12, 100, 700)).map((one) => ({ ...one, id: `later ${one.id}` })));
  const { reading } = await session.prepare({ maxOutputTokens: 1_500 });
  expect(reading.tokens + 1_500).toBeLessThanOrEqual(4_000);
});

it.each([
  ['below the stated input', 8_000, 4_000],
  ['above it', 4_500, 6_000],
])(
  'K2: a proven window includes the answer, although the stated budget is for the input alone: %s',
  async (_, inputBudget, proven) => {
    const spill = await createSpillway({ counter: quarter, inputBudget, settings: { safetyMargin: 0 } });
    const session = spill.session({ format: 'anthropic' });
    await session.append(...read([user('Build a mill.'), ...talk(19, 100)]));
    await session.prepare({ maxOutputTokens: 3_000 });
    const { tokens } = session.reading;
    expect(tokens + 3_000).toBeGreaterThan(proven);
    const message = `input length and \`max_tokens\` exceed context limit: ${tokens} + 3000 > ${proven}`;
    const { learned } = await session.overflowed({ status: 400, message });
    expect(learned).toEqual({ contextWindow: proven });
    for (let turn = 0; turn < 6; turn++) {
      const next = read(talk(3, 100, 700 + 10 * turn));
      await session.append(...next.map((one) => ({ ...one, id: `${turn} ${one.id}` })));
      const { reading } = await session.prepare({ maxOutputTokens: 3_000 });
      expect(reading.tokens + 3_000).toBeLessThanOrEqual(proven);
    }
    // A request for a smaller answer may be longer again, but never longer than the stated budget.
    await session.prepare({ maxOutputTokens: 100 });
    expect(session.reading.budget.usable).toBe(Math.min(inputBudget, proven - 100));
  },
);

it('K2: a refusal without a limit uses what another session of the same tenant learned', async () => {
  const store = await openStore('memory:');
  const named = await sent(store, 'mill:a');
  await named.overflowed({ status: 400, message: "This model's maximum context length is 5000 tokens." });
  const unnamed = { status: 400, message: 'Your input exceeds the context window of this model.' };
  const stranger = await sent(store, 'weir:a');
  expect(await stranger.overflowed(unnamed)).not.toHaveProperty('learned');
  const session = await sent(store, 'mill:b');
  const { retry, learned } = await session.overflowed(unnamed);
  expect({ retry, learned }).toEqual({ retry: true, learned: { contextWindow: 5_000 } });
  expect((await session.prepare()).reading.tokens).toBeLessThan(5_000);
});

it('K2: each overflow of a session is retried once, even without reported usage', async () => {
  const session = await sessionOf(20_000, [...START, ...talk(40, 140)]);
  for (let call = 0; call < 3; call++) {
    let tries = 0;
    const answered = session.call(() => {
      if (++tries === 1) throw Object.assign(new Error('context_length_exceeded'), { status: 400 });
      return 'done';
    });
    expect(await answered).toBe('done');
    expect(tries).toBe(2);
    await session.append(
      ...read(talk(12, 140, 500 + 50 * call)).map((one) => ({ ...one, id: `${call}${one.id}` })),
    );
  }
  let tries = 0;
  const refused = session.call(() => {
    tries++;
    throw new Error('context_length_exceeded');
  });
  await expect(refused).rejects.toThrow('context_length_exceeded');
  expect(tries).toBe(2);
});

it('K2: a refused request is compacted and sent again, however little of the stated window it used', async () => {
  const session = await sessionOf(128_000, [...START, ...talk(20, 140)]);
  expect((await session.prepare()).reading.pressure).toBeLessThan(0.08);
  let tries = 0;
  const answered = session.call(() => {
    if (++tries === 1) throw Object.assign(new Error('context_length_exceeded'), { status: 400 });
    return 'done';
  });
  await expect(answered).resolves.toBe('done');
  expect(tries).toBe(2);
});
