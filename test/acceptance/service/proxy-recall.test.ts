import Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { Act, Emulator } from '../../emulator/index.js';
import { prose, says, step, system, talk, user, type Chat } from '../support.js';
import { BUDGET, chatOf, checkRequests, proxied } from './proxied.js';
import type { Started } from './support.js';

describe('recall through the proxy', () => {
  it.each([false, true])(
    'N15: is offered once something was compacted, and answered by the proxy (streamed: %s)',
    async (streams) => {
      const { service, emulator } = await proxied({ server: { recall: 4 } } as never);
      const client = chatOf(service);
      const messages: Chat[] = [system('Be brief.'), user('Build the mill.')];
      messages.push(
        ...step('read', { path: 'src/wall.ts' }, `The wall is 417 cm. ${prose(700, 1)}`),
        ...talk(14, 300),
      );
      const call = { id: 'call_r', name: 'recall', arguments: { query: 'wall 417 cm' } };
      emulator.script = [{ text: 'Let me look.', toolCalls: [call] }, { text: 'It is 417 cm.' }];
      const ask = async (): Promise<string> => {
        const body = { model: 'm', messages: [...messages, user('How high is the wall?')] as never };
        if (!streams) return (await client.chat.completions.create(body)).choices[0]!.message.content!;
        return (await client.chat.completions.stream(body).finalChatCompletion()).choices[0]!.message
          .content!;
      };
      expect(await ask()).toContain('It is 417 cm.');
      expect(emulator.received).toHaveLength(2);
      expect(emulator.received[1]!.text).toContain('The wall is 417 cm.');
      checkRequests(emulator);
      // The client does not see it, and its next request still matches the log.
      messages.push(user('How high is the wall?'), says('It is 417 cm.'));
      emulator.script = [{ text: 'Good.' }];
      await client.chat.completions.create({ model: 'm', messages: [...messages, user('Thanks.')] as never });
      expect(emulator.received[2]!.text).toContain('call_r');
      checkRequests(emulator);
      expect((await service.get('/sessions')).body.items).toHaveLength(1);
    },
  );

  it('N15: is not offered before something was compacted', async () => {
    const { service, emulator } = await proxied({ server: { recall: 4 } } as never);
    await chatOf(service).chat.completions.create({ model: 'm', messages: [user('Hello.')] as never });
    expect(emulator.received[0]!.body.tools).toBeUndefined();
  });
});

/** What a client of one format shows of an answer. */
interface Shown {
  readonly text: string;
  readonly tools: readonly string[];
  /** The answer as the next request holds it, with the results of its calls. */
  readonly back: readonly unknown[];
}

interface Client {
  readonly name: string;
  ask(service: Started, messages: readonly unknown[], most?: number): Promise<Shown>;
}

const WALL = 'The wall is 417 cm.';
const LOOK = { type: 'object' as const, properties: { at: { type: 'string' } } };
const words = [
  { role: 'user', content: 'Build the mill.' },
  { role: 'assistant', content: `${WALL} ${prose(500, 1)}` },
  ...talk(14, 300),
  { role: 'user', content: 'How high is the wall?' },
];

const chat = (stream: boolean): Client => ({
  name: stream ? 'chat, streamed' : 'chat',
  async ask(service, messages, most) {
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: LOOK } }];
    const body = { model: 'm', messages: messages as never, tools, ...(most && { max_tokens: most }) };
    const client = chatOf(service);
    const { choices } = stream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const { message } = choices[0]!;
    const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Seen.' }));
    const tool = calls.map((call) => call.function.name);
    return { text: message.content ?? '', tools: tool, back: [message, ...results] };
  },
});

const responses = (stream: boolean): Client => ({
  name: stream ? 'responses, streamed' : 'responses',
  async ask(service, input, most) {
    const tools = [{ type: 'function' as const, name: 'look', parameters: LOOK, strict: false }];
    const room = most && { max_output_tokens: most };
    const body = { model: 'm', store: false, input: input as never, tools, ...room };
    const client = chatOf(service);
    const { output } = stream
      ? await completed(await client.responses.create({ ...body, stream }))
      : await client.responses.create(body);
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    const text = output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join('');
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'Seen.' }));
    return { text, tools: calls.map(({ name }) => name), back: [...output, ...results] };
  },
});

/** The client's own helper treats an error within a stream as an answer. */
async function completed(
  events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>,
): Promise<OpenAI.Responses.Response> {
  let numbers = 0;
  for await (const event of events) {
    expect(event.sequence_number).toBe(numbers++);
    if (event.type === 'error') throw new Error(event.message);
    if (event.type === 'response.completed') return event.response;
  }
  throw new Error('no answer');
}

const claude = (stream: boolean): Client => ({
  name: stream ? 'anthropic, streamed' : 'anthropic',
  async ask(service, messages, most = 200) {
    const client = new Anthropic({ baseURL: service.url, apiKey: 'client-key', maxRetries: 0 });
    const tools = [{ name: 'look', input_schema: LOOK }];
    const body = { model: 'm', max_tokens: most, messages: messages as never, tools };
    const { content } = stream
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Seen.' }));
    const back = [
      { role: 'assistant', content },
      ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
    ];
    return { text, tools: calls.map(({ name }) => name), back };
  },
});

let made = 0;
const recall = (query = 'wall 417 cm') => ({ id: `call_r${++made}`, name: 'recall', arguments: { query } });
const look = () => ({ id: `call_l${++made}`, name: 'look', arguments: { at: 'the wall' } });
const on = () => proxied({ server: { recall: 2 } } as never);

const offersRecall = ({ body }: Emulator['received'][number]): boolean =>
  JSON.stringify(body.tools).includes('"recall"');

describe.each([false, true].flatMap((stream) => [chat(stream), responses(stream), claude(stream)]))(
  'recall through the proxy: $name',
  ({ name, ask }) => {
    const isStream = name.includes('streamed');

    it('N15: a call of the client’s own tool next to it reaches the client, with the model’s text and thoughts', async () => {
      const { service, emulator } = await on();
      const reasoning = name.startsWith('anthropic') ? { reasoning: 'Hm.' } : {};
      emulator.script = [
        { text: 'Let me see. ', ...reasoning, toolCalls: [recall(), look()] },
        { text: 'It is 417 cm.' },
      ];
      const first = await ask(service, words);
      expect(first).toMatchObject({ text: 'Let me see. ', tools: ['look'] });
      expect(JSON.stringify(first.back).includes('Hm.')).toBe('reasoning' in reasoning);
      const second = await ask(service, [...words, ...first.back]);
      expect(second.text).toBe('It is 417 cm.');
      expect(emulator.received).toHaveLength(2);
      expect(emulator.received[1]!.text).toContain(WALL);
      checkRequests(emulator);
    });

    it('N15: a model that recalls again and again is in the end asked without the tool', async () => {
      const { service, emulator } = await on();
      emulator.otherwise = ({ body }) =>
        JSON.stringify(body.tools).includes('"recall"')
          ? { text: 'Let me look. ', toolCalls: [recall()] }
          : { text: 'It is 417 cm.' };
      const { text, tools } = await ask(service, words);
      expect([text, tools]).toEqual(['Let me look. Let me look. It is 417 cm.', []]);
      expect(emulator.received.map(offersRecall)).toEqual([true, true, false]);
      // A further request holds what was said before it; in the last one the first step has been compacted.
      const spoken = emulator.received.map((request) => request.text.split('Let me look. ').length - 1);
      expect(spoken.slice(0, 2)).toEqual([0, 1]);
      checkRequests(emulator);
    });

    it('N15: the refusal of a further request reaches the client', async () => {
      const { service, emulator } = await on();
      emulator.script = [{ text: 'Let me look. ', toolCalls: [recall()] }, 'rate-limit'];
      await expect(ask(service, words)).rejects.toThrow(/Rate limit reached/);
      emulator.script = [{ text: 'It is 417 cm.' }];
      expect((await ask(service, words)).text).toBe('It is 417 cm.');
      checkRequests(emulator);
    });

    it('N15: a further request that is too long is compacted and sent once more', async () => {
      const { service, emulator } = await on();
      const tooLong: Act = 'context-length';
      emulator.script = [{ toolCalls: [recall()] }, tooLong, { text: 'It is 417 cm.' }];
      expect((await ask(service, words)).text).toBe('It is 417 cm.');
      expect(emulator.received).toHaveLength(3);
      const [, refused, sent] = emulator.received;
      expect(sent!.text.length).toBeLessThan(refused!.text.length);
    });

    it('N15: a further request leaves as much room to answer as the first', async () => {
      const { service, emulator } = await proxied({
        reserve: { output: 100 },
        server: { recall: 2 },
      } as never);
      emulator.script = [{ toolCalls: [recall('river mill wall')] }, { text: 'It is 417 cm.' }];
      await ask(service, words, 2_500);
      for (const { text } of emulator.received) expect(text.length / 4).toBeLessThan(BUDGET - 2_500 + 400);
      checkRequests(emulator);
    });

    it('N15: a stream that ends in an error event causes no further request, and fails for the client', async () => {
      if (!isStream) return;
      const { service, emulator } = await on();
      emulator.script = ['stream-error'];
      await expect(ask(service, words)).rejects.toBeDefined();
      emulator.script = [{ text: 'Let me look. ', toolCalls: [recall()] }, 'stream-error'];
      await expect(ask(service, words)).rejects.toThrow(/error/);
      expect(emulator.received).toHaveLength(3);
    });
  },
);
