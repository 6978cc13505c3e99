import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { compactAnthropic, compactOpenAI } from '../../src/adapters/index.js';
import type { Session } from '../../src/index.js';
import { validateAnthropic, validators } from '../../src/testkit/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { place } from './sessions/stores.js';
import { engine, prose } from './support.js';

const FACT = 'The key lies in the oak box, number 4711.';
const usage = { inputTokens: 100, cacheReadTokens: 10, outputTokens: 7 };
let calls = 0;
const recalls = (args: unknown, more: Partial<Extract<Act, { text?: string }>> = {}): Act => ({
  text: '',
  ...more,
  toolCalls: [{ id: `call_${++calls}`, name: 'recall', arguments: args }, ...(more.toolCalls ?? [])],
  usage,
});
const says = (text: string): Act => ({ text, usage });

/** One turn of a client that sends its whole history. */
interface Answered {
  readonly text: string;
  readonly tools: readonly string[];
  readonly finish: unknown;
  readonly input: number | undefined;
}
type Ask = (words: string) => Promise<Answered>;

interface Wired {
  readonly name: string;
  readonly format: string;
  open(
    emulator: Emulator,
    session: Session,
    recall: boolean | number,
    past?: unknown[],
  ): { ask: Ask; history: unknown[] };
}

const LOOK = { type: 'object' as const, properties: { at: { type: 'string' } } };

const chat = (stream: boolean): Wired => ({
  name: stream ? 'openai chat, streamed' : 'openai chat',
  format: 'openai-chat',
  open(emulator, session, recall, past = []) {
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { chat: session }, { recall });
    const messages = past as OpenAI.ChatCompletionMessageParam[];
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: LOOK } }];
    const ask: Ask = async (content) => {
      messages.push({ role: 'user', content });
      const body = { model: 'm', messages, tools };
      const answer = stream
        ? await client.chat.completions
            .stream({ ...body, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(body);
      const { message, finish_reason: finish } = answer.choices[0]!;
      messages.push(message);
      const made = message.tool_calls ?? [];
      for (const { id } of made) messages.push({ role: 'tool', tool_call_id: id, content: 'Seen.' });
      return {
        text: message.content ?? '',
        tools: made.map((call) => (call.type === 'function' ? call.function.name : '')),
        finish,
        input: answer.usage?.prompt_tokens,
      };
    };
    return { ask, history: messages };
  },
});

const responses = (stream: boolean): Wired => ({
  name: stream ? 'openai responses, streamed' : 'openai responses',
  format: 'openai-responses',
  open(emulator, session, recall, past = []) {
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { responses: session }, { recall });
    const input = past as OpenAI.Responses.ResponseInputItem[];
    const tools = [{ type: 'function' as const, name: 'look', parameters: LOOK, strict: false }];
    const ask: Ask = async (content) => {
      input.push({ role: 'user', content });
      const body = { model: 'm', input, tools, store: false };
      const answer = stream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
      const made = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      for (const { call_id } of made) input.push({ type: 'function_call_output', call_id, output: 'Seen.' });
      const text = answer.output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join('');
      const tool = made.map(({ name }) => name);
      return {
        text,
        tools: tool,
        finish: tool.length > 0 ? 'tool_calls' : 'stop',
        input: answer.usage?.input_tokens,
      };
    };
    return { ask, history: input };
  },
});

const claude = (stream: boolean): Wired => ({
  name: stream ? 'anthropic, streamed' : 'anthropic',
  format: 'anthropic',
  open(emulator, session, recall, past = []) {
    const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
    const client = compactAnthropic(plain, session, { recall });
    const messages = past as Anthropic.MessageParam[];
    const tools = [{ name: 'look', input_schema: LOOK }];
    let open: Anthropic.ToolResultBlockParam[] = [];
    const ask: Ask = async (text) => {
      messages.push({ role: 'user', content: [...open, { type: 'text', text }] });
      const body = { model: 'm', max_tokens: 100, messages, tools };
      const answer = stream
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body);
      messages.push({ role: 'assistant', content: answer.content });
      const made = answer.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      open = made.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Seen.' }));
      const words = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const finish = answer.stop_reason === 'tool_use' ? 'tool_calls' : 'stop';
      const { input_tokens: fresh, cache_read_input_tokens: cached } = answer.usage;
      return { text: words, tools: made.map(({ name }) => name), finish, input: fresh + (cached ?? 0) };
    };
    return { ask, history: messages };
  },
});

const WIRED = [chat(false), chat(true), responses(false), responses(true), claude(false), claude(true)];

/** Talks until the fact has left the view. */
async function talked(ask: Ask, session: Session): Promise<void> {
  await ask('Build a mill.');
  await ask(`${prose(150, 70)} ${FACT} ${prose(150, 71)}`);
  for (let turn = 0; turn < 14; turn++) await ask(`Question ${turn}: ${prose(300, turn)}`);
  expect(session.operator.history.length).toBeGreaterThan(0);
}

function legal({ received }: Emulator): void {
  for (const { wire, body } of received)
    expect(wire.startsWith('anthropic') ? validateAnthropic(body) : validators.get(wire)!(body)).toEqual([]);
}

describe.each(WIRED)('N15: recall offered and answered by the drop-in: $name', ({ format, open }) => {
  it('N15: the model reads back what had left, the client sees one answer, and the log has it all', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const { store, again } = await place('sqlite');
    const session = await (await engine(2_500, {}, { store, format })).open({ id: 'mill' });
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask, history } = open(emulator, session, true);
    await talked(ask, session);
    expect(emulator.received.at(-1)!.text).toContain('"recall"');
    const before = emulator.received.length;
    const spent = session.operator.costs.primary.calls;
    expect(emulator.received.at(-1)!.text).not.toContain('number 4711');
    emulator.script = [recalls({ query: 'key oak box' }), says('In the oak box.')];
    const answer = await ask('Where is the key?');
    expect(answer).toMatchObject({ text: 'In the oak box.', tools: [], finish: 'stop', input: 220 });
    expect(emulator.received.length - before).toBe(2);
    expect(emulator.received.at(-1)!.text).toContain('number 4711');
    expect(JSON.stringify(history)).not.toContain('recall');
    expect(session.operator.costs.primary.calls - spent).toBe(2);
    const own = Array.from({ length: session.log.length }, (_, seq) => session.log.at(seq)).filter(
      ({ unknownToClient }) => unknownToClient,
    );
    expect(own.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    // The client's history still matches: here, and in a process that opens the session again.
    await ask('Thanks. Go on.');
    const later = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    const next = open(emulator, later, true, history);
    later.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    for (let turn = 0; turn < 6; turn++) await next.ask(`Then ${turn}: ${prose(300, 50 + turn)}`);
    const last = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    last.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    await open(emulator, last, true, history).ask('And the roof?');
    expect(rewound).toEqual([]);
    expect((await last.load()).log.length).toBe(history.length - 1 + 2);
    legal(emulator);
  });

  it('N15: a recall beside a call of the client’s own: the client runs its own and never sees the other', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask } = open(emulator, session, true);
    await talked(ask, session);
    const look = { id: `call_${++calls}`, name: 'look', arguments: { at: 'the box' } };
    emulator.script = [recalls({ query: 'key oak box' }, { toolCalls: [look] }), says('Found.')];
    expect(await ask('Find the key.')).toMatchObject({ tools: ['look'], finish: 'tool_calls' });
    expect(await ask('And?')).toMatchObject({ text: 'Found.' });
    const sent = emulator.received.at(-1)!.text;
    expect([sent.includes('number 4711'), sent.includes('Seen.')]).toEqual([true, true]);
    expect(rewound).toEqual([]);
    legal(emulator);
  });

  it('N15: an agent that recalls in a loop is told, and stopped', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    const { ask } = open(emulator, session, 2);
    await talked(ask, session);
    const before = emulator.received.length;
    emulator.otherwise = () => recalls({ query: 'key oak box' });
    expect(await ask('Where is the key?')).toMatchObject({ tools: [], finish: 'stop' });
    expect(emulator.received.length - before).toBe(3);
    expect(emulator.received.at(-1)!.text).toContain('This was the last recall');
    emulator.otherwise = says('Built.');
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    legal(emulator);
  });

  it('N15: is not offered unless it is asked for, nor beside a tool of that name', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    await open(emulator, session, false).ask('Build a mill.');
    expect(emulator.received.at(-1)!.text).not.toContain('"recall"');
  });
});

describe('N15: the answer of a model that speaks before it recalls', () => {
  it.each([chat(true), claude(true), responses(true)])(
    'N15: goes on in one stream: $name',
    async ({ format, open }) => {
      const emulator = await startEmulator();
      emulator.otherwise = says('Built.');
      const session = (await engine(2_500, {}, { format })).session();
      const rewound: unknown[] = [];
      session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
      const { ask } = open(emulator, session, true);
      await talked(ask, session);
      // The emulated responses seal no reasoning, so none may be sent back to them.
      const thinks = (reasoning: string) => (format === 'openai-responses' ? {} : { reasoning });
      emulator.script = [
        recalls({ query: 'key' }, { text: 'Let me look. ', ...thinks('Hm, the key.') }),
        recalls({ query: 'oak box' }, thinks('Not yet.')),
        { text: 'In the oak box.', ...thinks('There.'), usage },
      ];
      expect(await ask('Where is the key?')).toMatchObject({
        text: 'Let me look. In the oak box.',
        tools: [],
      });
      await ask('Thanks.');
      expect(rewound).toEqual([]);
      legal(emulator);
    },
  );
});
