import { setTimeout } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { GOOD, startEmulator, type Act } from '../../emulator/index.js';

const CALL: Act = {
  text: 'I read it.',
  toolCalls: [{ id: 'call_9', name: 'read', arguments: { path: 'src/mill.ts' } }],
  usage: { inputTokens: 10, cacheReadTokens: 4, outputTokens: 3 },
};
const messages = [{ role: 'user' as const, content: 'Build the mill.' }];

async function clients() {
  const emulator = await startEmulator();
  const openai = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
  return { emulator, openai, anthropic };
}

describe('the emulator answers OpenAI’s own client', () => {
  it('over chat completions', async () => {
    const { emulator, openai } = await clients();
    emulator.script = ['good', CALL];
    const good = await openai.chat.completions.create({ model: 'm', messages });
    expect(good.choices[0]).toMatchObject({ message: { content: GOOD }, finish_reason: 'stop' });
    const called = await openai.chat.completions.create({ model: 'm', messages });
    expect(called.choices[0]).toMatchObject({
      message: {
        tool_calls: [{ id: 'call_9', function: { name: 'read', arguments: '{"path":"src/mill.ts"}' } }],
      },
      finish_reason: 'tool_calls',
    });
    expect(called.usage).toMatchObject({
      prompt_tokens: 14,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(emulator.received.map(({ path, body }) => [path, body['model']])).toEqual(
      Array.from({ length: 2 }, () => ['/v1/chat/completions', 'm']),
    );
  });

  it('over streamed chat completions', async () => {
    const { emulator, openai } = await clients();
    emulator.script = [CALL];
    const stream = openai.chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices[0]!.message).toMatchObject({
      content: 'I read it.',
      tool_calls: [{ id: 'call_9', function: { arguments: '{"path":"src/mill.ts"}' } }],
    });
    expect(whole.usage).toMatchObject({ prompt_tokens: 14 });
  });

  it('over responses, streamed or not', async () => {
    const { emulator, openai } = await clients();
    emulator.script = [CALL, CALL];
    const whole = await openai.responses.create({ model: 'm', input: 'Build.' });
    expect(whole.output_text).toBe('I read it.');
    expect(whole.output.at(-1)).toMatchObject({ type: 'function_call', call_id: 'call_9', name: 'read' });
    const streamed = await openai.responses.stream({ model: 'm', input: 'Build.' }).finalResponse();
    expect(streamed.output).toMatchObject(whole.output.map(({ type }) => ({ type, id: expect.anything() })));
    expect(streamed.usage).toMatchObject({ input_tokens: 14, input_tokens_details: { cached_tokens: 4 } });
  });

  it.each([
    ['rate-limit', 429],
    ['server-error', 500],
    ['wrong-key', 401],
    ['context-length', 400],
  ] as const)('fails with %s as that client knows it', async (act, status) => {
    const { emulator, openai } = await clients();
    emulator.otherwise = act;
    const asked = openai.chat.completions.create({ model: 'm', messages });
    await expect(asked).rejects.toMatchObject({
      status,
      ...(act === 'context-length' && { code: 'context_length_exceeded' }),
    });
  });
});

describe('the emulator answers Anthropic’s own client', () => {
  const request = { model: 'm', max_tokens: 100, messages };

  it('over messages, streamed or not', async () => {
    const { emulator, anthropic } = await clients();
    emulator.script = [CALL, { ...CALL, reasoning: 'Let me see.' }];
    const whole = await anthropic.messages.create(request);
    expect(whole).toMatchObject({
      content: [
        { type: 'text', text: 'I read it.' },
        { type: 'tool_use', id: 'call_9', name: 'read', input: { path: 'src/mill.ts' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 3 },
    });
    const streamed = await anthropic.messages.stream(request).finalMessage();
    expect(streamed).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'sig' },
        { type: 'text', text: 'I read it.' },
        { type: 'tool_use', input: { path: 'src/mill.ts' } },
      ],
      stop_reason: 'tool_use',
      usage: { output_tokens: 3 },
    });
  });

  it('fails as that client knows it, in the middle of a stream too', async () => {
    const { emulator, anthropic } = await clients();
    emulator.script = ['overloaded', 'stream-error', 'cut'];
    await expect(anthropic.messages.create(request)).rejects.toMatchObject({ status: 529 });
    await expect(anthropic.messages.stream(request).finalMessage()).rejects.toThrow('POISON');
    await expect(anthropic.messages.stream(request).finalMessage()).rejects.toBeInstanceOf(Error);
  });
});

describe('the emulator', () => {
  it('decides by what it was sent, and reads no more than its window', async () => {
    const { emulator, openai } = await clients();
    emulator.otherwise = ({ text }) => ({ text: text.includes('mill') ? 'A mill.' : 'No mill.' });
    emulator.windowChars = 1_000;
    const ask = (content: string) =>
      openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] });
    expect((await ask('mill')).choices[0]!.message.content).toBe('A mill.');
    expect((await ask('house')).choices[0]!.message.content).toBe('No mill.');
    await expect(ask('mill '.repeat(500))).rejects.toMatchObject({ status: 400 });
    expect(emulator.received.map(({ act }) => typeof act)).toEqual(['object', 'object', 'string']);
  });

  it('leaves calls open, and sees clients hang up', async () => {
    const { emulator, openai } = await clients();
    emulator.script = ['never', 'stall'];
    for (let i = 0; i < 2; i++) {
      const hangUp = new AbortController();
      const asked = openai.chat.completions.create({ model: 'm', messages }, { signal: hangUp.signal });
      const fault = asked.then(
        () => undefined,
        (error: Error) => error.message,
      );
      while (emulator.received.length <= i) await setTimeout(2);
      hangUp.abort();
      expect(await fault).toMatch(/abort/i);
    }
    // A socket that hangs up is told to the server in its own time.
    while (!emulator.received.every(({ aborted }) => aborted)) await setTimeout(2);
    expect(emulator.received.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
