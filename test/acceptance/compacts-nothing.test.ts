import OpenAI from 'openai';
import { z } from 'zod';
import { compactAiSdk, compactAnthropic, compactOpenAI } from '../../src/faces/adapters/index.js';
import { createSpillway, defineStage } from '../../src/index.js';
import type { TokenCounter } from '../../src/spi/index.js';
import { startEmulator } from '../emulator/index.js';
import { engine, prose, quarter } from './support.js';

const refused = (code: string, words: RegExp) => ({ code, message: expect.stringMatching(words) as unknown });

const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  anthropic: {
    messages: [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a' }] },
    ],
  },
  'openai-chat': {
    messages: [
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 't', content: 'a' },
    ],
  },
  'openai-responses': {
    input: [
      { role: 'user', content: 'Read it.' },
      { type: 'function_call', call_id: 't', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 't', output: 'a' },
    ],
  },
  'ai-sdk': {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't', toolName: 'read', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 't', toolName: 'read', output: { type: 'text', value: 'a' } },
        ],
      },
    ],
  },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'Read it.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: {} } }] },
    ],
  },
};
const FORMATS = Object.keys(CALLS);

describe('N13: arguments that would compact nothing', () => {
  it('N13: compactOpenAI accepts the engine itself, for both endpoints', async () => {
    const emulator = await startEmulator(() => ({ text: 'Built.' }));
    const spillway = await engine(3_000);
    const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k' }), spillway);
    const asked = Array.from({ length: 12 }, (_, i) => `Question ${i}: ${prose(400, i)}`);
    const messages = asked.flatMap((content) => [
      { role: 'user' as const, content },
      { role: 'assistant' as const, content: 'Built.' },
    ]);
    const history = [...messages, { role: 'user' as const, content: 'And now?' }];
    await client.chat.completions.create({ model: 'm', messages: history });
    await client.responses.create({ model: 'm', input: history });
    expect(emulator.received).toHaveLength(2);
    for (const { text } of emulator.received) expect(text.length / 4).toBeLessThan(3_000);
  });

  it.each([
    ['nothing', undefined, /what compactOpenAI is given.*undefined/],
    ['no session', {}, /allowed: chat or responses/],
    [
      'a name that there is none of',
      { chats: 1 },
      /unknown option chats of compactOpenAI; allowed: chat, responses/,
    ],
    ['a session that is none', { chat: 'mine' }, /option chat of compactOpenAI; found "mine"/],
    ['a promise of an engine', Promise.resolve(), /allowed/],
  ])('N13: compactOpenAI refuses %s', (_, given, words) => {
    const client = new OpenAI({ apiKey: 'k' });
    expect(() => compactOpenAI(client, given as never)).toThrow(
      expect.objectContaining(refused('ARGUMENT_INVALID', words)),
    );
  });

  it.each([
    ['compactAiSdk', (given: never) => compactAiSdk(given)],
    ['compactAnthropic', (given: never) => compactAnthropic({ messages: {} }, given)],
  ])('N13: %s refuses a missing engine and a promise of one', (name, wrap) => {
    for (const given of [undefined, null, {}, 'mine', Promise.resolve()])
      expect(() => wrap(given as never)).toThrow(
        expect.objectContaining(
          refused('ARGUMENT_INVALID', new RegExp(`session given to ${name}.*allowed: an engine`)),
        ),
      );
  });

  it.each(FORMATS.flatMap((format) => FORMATS.filter((of) => of !== format).map((of) => [format, of])))(
    'N13: a session of %s refuses calls of %s',
    async (format, of) => {
      const session = (await engine(3_000)).session({ format: format! });
      await expect(session.follow(CALLS[of!])).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:INPUT|SESSION)_FORMAT$/),
      });
      expect(session.log.length).toBe(0);
      await session.follow(CALLS[format!]);
      expect(session.log.length).toBe(3);
    },
  );

  it.each([NaN, -1, Infinity, '12', undefined, Promise.resolve(3)])(
    'R9: a counter that returns %p is refused, and if it does so later the log stays as it was',
    async (found) => {
      const bad = { ...quarter, name: 'odd', count: () => found } as unknown as TokenCounter;
      await expect(createSpillway({ counter: bad })).rejects.toMatchObject(
        refused('CONFIG_INVALID', /counter "odd".*allowed: a number, 0 or more/),
      );
      const later = {
        ...quarter,
        name: 'odd',
        count: (text: string) => (text.includes('rare') ? (found as number) : quarter.count(text)),
      };
      const session = (await createSpillway({ counter: later })).session();
      const follow = (...words: string[]) =>
        session.follow({ messages: words.map((content) => ({ role: 'user', content })) });
      await follow('Build a mill.');
      await expect(follow('Build a mill.', 'A rare word.')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      expect(session.log.length).toBe(1);
      await follow('Build a mill.', 'A plain word.');
      expect(session.log.length).toBe(2);
      expect(session.reading.tokens).toBeGreaterThan(0);
    },
  );

  it('S10: a stage that no roster names is refused, unless it makes passes', async () => {
    const stage = defineStage({
      name: 'polls',
      summary: 'Takes out polls.',
      options: z.object({}),
      plan: () => ({ edits: [] }),
    });
    await expect(createSpillway({ stages: [stage] })).rejects.toMatchObject(
      refused('CONFIG_INVALID', /stage "polls"; found "in no roster"/),
    );
    const roster = [{ stage: 'polls', opensAt: 0.8 }, 'micro'];
    await createSpillway({ stages: [stage], settings: { roster } });
    await createSpillway({
      stages: [stage],
      settings: { agents: { 'primary/reviewer': { roster } } },
    } as never);
    await createSpillway({ stages: [{ ...stage, asPass: () => ({}) }] });
  });

  it('R9: usage under a provider’s own names is refused', async () => {
    const session = (await engine(3_000)).session();
    await expect(session.observe({ prompt_tokens: 900 } as never)).rejects.toMatchObject(
      refused('ARGUMENT_INVALID', /unknown option prompt_tokens of session.observe; allowed: inputTokens/),
    );
    await expect(session.observe({ inputTokens: 9, totalTokens: 9 } as never)).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    });
  });
});
