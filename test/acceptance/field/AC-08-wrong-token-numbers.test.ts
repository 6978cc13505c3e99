import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../../src/faces/adapters/index.js';
import { createSpillway, formats, openStore, type Session } from '../../../src/index.js';
import { prose, says, system, user } from '../../support/chats.js';
import {
  engine,
  fill,
  read,
  said,
  sessionOf,
  spillway,
  talk,
  temporaryFolder,
  preparedAt,
} from '../support.js';

const folder = temporaryFolder();
const CHINESE = '水库的水位正在上升，请先打开第一道闸门，然后再检查下游的压力计。';
const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

describe('AC-08: wrong token numbers (59k shown, 174k real)', () => {
  it('CJK is not counted as four characters a token', async () => {
    const tokensBy = async (counter: 'heuristic' | 'o200k_base'): Promise<number> => {
      const session = (await createSpillway({ settings: { counter } })).session();
      session.append(...read([user(CHINESE.repeat(100))]));
      return session.reading.tokens;
    };
    const exact = await tokensBy('o200k_base');
    expect(exact).toBeGreaterThan((CHINESE.length * 100) / 2);
    const estimate = await tokensBy('heuristic');
    expect(Math.abs(estimate - exact) / exact).toBeLessThan(0.25);
  });

  it('tool definitions and the system prompt are counted, and can open a gate', async () => {
    const spillwayEngine = await engine(20_000);
    const tools = [{ type: 'function', function: { name: 'search', description: prose(4_000) } }];
    const [bare, tooled] = [spillwayEngine.session(), spillwayEngine.session({ tools })];
    for (const session of [bare, tooled]) session.append(...read(TALK));
    expect(tooled.reading.tokens - bare.reading.tokens).toBeGreaterThan(4_000);
    const prompted = await sessionOf(20_000, [system(prose(4_000)), ...TALK.slice(1)]);
    expect(prompted.reading.tokens - bare.reading.tokens).toBeGreaterThan(3_900);
    const runs = await Promise.all([bare, tooled, prompted].map((session) => session.prepare()));
    expect(runs.map(({ run }) => run.kind !== 'below-gate')).toEqual([false, true, true]);
  });

  it('tool definitions in a request body are counted on the command line', async () => {
    const tools = [{ type: 'function', function: { name: 'search', description: prose(4_000) } }];
    const pressure = async (body: object): Promise<number> => {
      const file = folder.file('body.json', JSON.stringify(body));
      return JSON.parse((await spillway(['compact', file, '--window', '50000', '--json'])).err).tokens.before;
    };
    expect(
      (await pressure({ messages: TALK, tools })) - (await pressure({ messages: TALK })),
    ).toBeGreaterThan(2_000);
  });

  it('the prompt that is about to be sent is counted before it is sent', async () => {
    const session = await sessionOf(20_000, TALK);
    const { reading } = await session.prepare();
    expect(reading.pressure).toBeLessThan(0.8);
    fill(session, 0.93);
    expect(session.reading.pressure).toBeGreaterThan(0.92);
    expect((await session.prepare()).run.kind).toBe('committed');
  });

  it('usage of a request from before the last compaction is ignored', async () => {
    const session = await sessionOf(20_000, TALK);
    const { reading } = await preparedAt(session, 0.75);
    expect((await session.operator.compact({ target: 0.4 })).kind).toBe('committed');
    const small = session.reading;
    // The report comes late: it is about the previous request, and says nothing about the next one.
    session.observe({ inputTokens: 2 * reading.tokens, outputTokens: 20_000 });
    expect(session.reading).toMatchObject({ tokens: small.tokens, basis: 'estimated' });
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('a message that is too long only by a reported scale is sent, and the next report corrects the scale', async () => {
    const session = await sessionOf(20_000, TALK.slice(0, 2));
    await session.append(said('first', prose(300)));
    const small = (await session.prepare()).reading.tokens;
    await session.observe({ inputTokens: small + 400 });
    await session.append(said('long', prose(15_000)));
    const { reading } = await session.prepare();
    expect(reading.tokens).toBeLessThan(16_000);
    await session.observe({ inputTokens: reading.tokens + 400 });
    expect(session.reading.tokens).toBeLessThanOrEqual(reading.tokens + 401);
    // A count from a provider’s refusal stays in force.
    await session.overflowed(`prompt is too long: ${2 * reading.tokens} tokens > 20000 maximum`);
    await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
  });

  it('a long history after a low usage report is made to fit, and keeps its last message', async () => {
    const tools = [{ type: 'function', function: { name: 'search', description: prose(8_600) } }];
    const session = (await engine(10_000)).session();
    const first = user(prose(300));
    await session.follow({ tools, messages: [first] });
    const { tokens } = (await session.prepare()).reading;
    await session.observe({ inputTokens: Math.round(0.6 * tokens) });
    await session.follow({ tools, messages: [first, ...talk(20, 3_000), user(prose(2_400, 7))] });
    const { reading, messages } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(JSON.stringify(messages)).toContain(prose(2_400, 7).slice(0, 40));
  });

  it('the scale of a model is remembered after a call to another model and after a restart', async () => {
    const store = await openStore('memory:');
    const open = async () => (await engine(20_000, {}, { store })).open({ id: 'a' });
    const [one, other] = ['gpt-4o', 'gpt-4.1'];
    const session = await open();
    await session.append(...read(TALK));
    const { tokens } = (await session.prepare({ model: one })).reading;
    await session.observe({ inputTokens: Math.round(1.2 * tokens) });
    const scaleIn = async (of: typeof session, model: string) => (await of.prepare({ model })).reading.scale;
    expect(await scaleIn(session, other)).toBeCloseTo(1, 2);
    expect(await scaleIn(session, one)).toBeCloseTo(1.2, 2);
    const again = await open();
    expect(await scaleIn(again, other)).toBeCloseTo(1, 2);
    expect(await scaleIn(again, one)).toBeCloseTo(1.2, 2);
  });

  it('usage of a request from before an undo is ignored', async () => {
    const session = await sessionOf(20_000, TALK);
    await preparedAt(session, 0.93);
    session.operator.undo();
    session.observe({ inputTokens: 40_000 });
    expect(session.reading.basis).toBe('estimated');
  });

  it('one learned scale applies to tokens, pressure and target alike', async () => {
    const session = await sessionOf(20_000, TALK);
    const first = await session.prepare();
    session.observe({ inputTokens: 2 * first.reading.tokens });
    const { reading } = session;
    expect(reading.tokens).toBe(2 * first.reading.tokens);
    expect(reading.pressure).toBeCloseTo(reading.tokens / reading.budget.tokens);
    expect(reading.derivation.join('\n')).toMatch(/measured/);
    const next = await session.prepare();
    expect(next.run.kind).toBe('committed');
    expect(next.reading.pressure).toBeLessThanOrEqual(0.6);
    expect(next.reading.scale).toBe(2);
  });

  it('a low usage report makes no later message smaller, and a reading is not below its newest report', async () => {
    const session = await sessionOf(40_000, TALK);
    const reportedAs = async (share: number) => {
      const { tokens, scale } = (await session.prepare()).reading;
      const reported = Math.round(share * (tokens / scale));
      await session.observe({ inputTokens: reported });
      return reported;
    };
    const few = await reportedAs(0.6);
    expect(session.reading.tokens).toBe(few);
    const before = session.reading;
    await session.append(said('big', prose(12_000)));
    expect(session.reading.tokens).toBeGreaterThanOrEqual(before.tokens + 12_000);
    const all = await reportedAs(1.1);
    expect(session.reading.tokens).toBeGreaterThanOrEqual(all);
  });

  it.each([
    ['0', () => 0],
    ['next to nothing', () => 0.001],
    ['NaN', () => NaN],
    ['what is thrown', () => raise(new Error('no vocabulary'))],
  ])('a counter that gives %s for a long text is refused, and named', async (_, count) => {
    const follow = async () => {
      const counter = { name: 'odd', exact: true, count };
      const session = (await createSpillway({ inputBudget: 3_000, counter })).session();
      await session.follow({ messages: [user(prose(2_000))] });
    };
    const refused = follow();
    await expect(refused).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/counter "odd"/) as unknown,
    });
  });
});

describe('AC-08: a bill for tools that the provider ran itself covers the input of several requests', () => {
  const BILLED = 60_000;
  const QUESTION = prose(300);
  const streamed = (events: readonly object[]) => ({
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield* events;
    },
  });
  const readAll = async (stream: unknown): Promise<void> => {
    for await (const event of stream as AsyncIterable<unknown>) void event;
  };
  type Create = (body: object) => Promise<object>;
  /** One call of a client, whose model answers with these blocks. */
  type Asks = (session: Session, blocks: readonly object[]) => Promise<unknown>;
  const claude =
    (stream: boolean): Asks =>
    async (session, content) => {
      const usage = { input_tokens: BILLED, output_tokens: 5 };
      const message = { type: 'message', role: 'assistant', content, usage };
      const events = [
        { type: 'message_start', message: { ...message, content: [] } },
        ...content.map((block, index) => ({ type: 'content_block_start', index, content_block: block })),
        { type: 'message_delta', delta: {}, usage },
        { type: 'message_stop' },
      ];
      const create: Create = () => Promise.resolve(stream ? streamed(events) : message);
      const client = compactAnthropic({ messages: { create } }, session);
      const answer = await client.messages.create({ messages: [user(QUESTION)], stream });
      if (stream) await readAll(answer);
    };
  const responses =
    (stream: boolean): Asks =>
    async (session, output) => {
      const response = { output, usage: { input_tokens: BILLED, output_tokens: 5 } };
      const events = [{ type: 'response.completed', response }];
      const create: Create = () => Promise.resolve(stream ? streamed(events) : response);
      const client = compactOpenAI({ chat: {}, responses: { create } }, { responses: session });
      const answer = await client.responses.create({ input: QUESTION, stream });
      if (stream) await readAll(answer);
    };
  const aiSdk =
    (stream: boolean): Asks =>
    async (session, content) => {
      const usage = { inputTokens: { total: BILLED }, outputTokens: { total: 5 } };
      const doStream = () => {
        const parts = ReadableStream.from([...content, { type: 'finish', usage }]);
        return Promise.resolve({ stream: parts });
      };
      const model = { modelId: 'm', doStream, doGenerate: () => Promise.resolve({ content, usage }) };
      const { wrapGenerate, wrapStream } = compactAiSdk(session);
      const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }] };
      const wrap = (stream ? wrapStream : wrapGenerate) as unknown as (of: object) => Promise<object>;
      const answer = await wrap({ model, params });
      if (stream) await readAll((answer as { readonly stream: unknown }).stream);
    };
  const langChain: Asks = async (session, content) => {
    const { wrapModelCall } = compactLangChain(session);
    const usage_metadata = { input_tokens: BILLED, output_tokens: 5 };
    const request = { messages: [user(QUESTION)], tools: [], systemMessage: { content: '' } };
    await wrapModelCall(request, () => ({ type: 'ai', content, usage_metadata }));
  };
  const TEXT = { type: 'text', text: 'They are old.' };
  const SEARCH = [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }];
  const ITEM = [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }];
  const CALL = { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{}' };
  const OWN = [{ ...CALL, providerExecuted: true }];

  it.each<[string, string, Asks, readonly object[]]>([
    ['anthropic', 'anthropic', claude(false), SEARCH],
    ['anthropic, streamed', 'anthropic', claude(true), SEARCH],
    ['openai responses', 'openai-responses', responses(false), ITEM],
    ['openai responses, streamed', 'openai-responses', responses(true), ITEM],
    ['ai sdk', 'ai-sdk', aiSdk(false), OWN],
    ['ai sdk, streamed', 'ai-sdk', aiSdk(true), OWN],
    ['langchain', 'langchain', langChain, SEARCH],
  ])('%s: the bill counts as cost, and starts no compaction', async (_, format, ask, blocks) => {
    for (const own of [true, false]) {
      const session = (await engine(20_000)).session({ format });
      const { parse, messagesField } = formats.get(format)!;
      const past = talk(14, 300).map(({ role, content }) => ({ role, content }));
      await session.append(...parse({ [messagesField]: [user(QUESTION)] }).messages);
      await ask(session, own ? [...blocks, TEXT] : [TEXT]);
      expect(session.operator.costs.primary).toMatchObject({ calls: 1, inputTokens: BILLED });
      expect(session.reading.basis).toBe(own ? 'estimated' : 'measured');
      const messages = parse({ [messagesField]: past }).messages;
      await session.append(...messages.map((one, at) => ({ ...one, id: `past${at}` })));
      expect((await session.prepare()).run.kind).toBe(own ? 'below-gate' : 'committed');
    }
  });

  it('usage of Anthropic is a sum of requests, unless its iterations list exactly one message', async () => {
    const { usageOf } = formats.get('anthropic')!.provider!;
    const round = { type: 'message', input_tokens: 9 };
    const told = (iterations: readonly object[]) =>
      usageOf!({ content: SEARCH, usage: { input_tokens: 9, output_tokens: 1, iterations } })?.isSum;
    expect([told([round]), told([round, round]), told([])]).toEqual([undefined, true, true]);
    expect(told([{ type: 'compaction', input_tokens: 9 }, round])).toBeUndefined();
  });
});

function raise(error: Error): never {
  throw error;
}
