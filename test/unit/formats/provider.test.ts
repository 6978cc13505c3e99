import { openaiChat } from '../../../src/index.js';
import type { WireFormat } from '../../../src/spi/index.js';
import { formats } from '../../../src/formats/index.js';
import { engine } from '../../acceptance/support.js';

const used = { cacheReadTokens: 30, cacheWriteTokens: 0, outputTokens: 7 };

describe('the providers of a format', () => {
  it.each([
    ['anthropic', { usage: { input_tokens: 70, cache_read_input_tokens: 30, output_tokens: 7 } }],
    [
      'openai-chat',
      {
        usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 30 }, completion_tokens: 7 },
      },
    ],
    [
      'openai-responses',
      { usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 30 }, output_tokens: 7 } },
    ],
    [
      'openai-responses',
      {
        type: 'response.completed',
        response: {
          usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 30 }, output_tokens: 7 },
        },
      },
    ],
    [
      'gemini',
      {
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 30,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 2,
        },
      },
    ],
    ['ai-sdk', { usage: { inputTokens: { total: 100, cacheRead: 30 }, outputTokens: { total: 7 } } }],
    ['ai-sdk', { usage: { inputTokens: 100, cachedInputTokens: 30, outputTokens: 7 } }],
    ['ai-sdk', { usage: { inputTokens: 100, inputTokenDetails: { cacheReadTokens: 30 }, outputTokens: 7 } }],
    [
      'langchain',
      { usage_metadata: { input_tokens: 100, input_token_details: { cache_read: 30 }, output_tokens: 7 } },
    ],
  ])('%s: read the usage that an answer reports', (name, answer) => {
    const usageOf = formats.get(name)!.provider!.usageOf!;
    expect(usageOf(answer)).toEqual({ ...used, inputTokens: 70 });
    expect(usageOf({ type: 'ping' })).toBeUndefined();
    expect(usageOf(null)).toBeUndefined();
  });

  it.each([
    [
      'openai-chat',
      {
        prompt_tokens: 120,
        prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        completion_tokens: 7,
      },
    ],
    [
      'openai-responses',
      {
        input_tokens: 120,
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        output_tokens: 7,
      },
    ],
    [
      'ai-sdk',
      {
        inputTokens: 120,
        inputTokenDetails: { noCacheTokens: 70, cacheReadTokens: 30, cacheWriteTokens: 20 },
        outputTokens: 7,
      },
    ],
  ])('%s: count tokens written to the cache apart from tokens read from it', (name, usage) => {
    const usageOf = formats.get(name)!.provider!.usageOf!;
    expect(usageOf({ usage })).toEqual({ ...used, inputTokens: 70, cacheWriteTokens: 20 });
  });

  it('take an input figure below the cached tokens as input that did not come from the cache', () => {
    const usageOf = formats.get('openai-chat')!.provider!.usageOf!;
    const usage = { prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 30 }, completion_tokens: 7 };
    expect(usageOf({ usage })).toEqual({ ...used, inputTokens: 20 });
  });

  it.each([-5, 1e308, Infinity, Number.NaN, '7e400'])(
    'count an output figure that is no valid count as 0: %s',
    (figure) => {
      const usageOf = formats.get('openai-chat')!.provider!.usageOf!;
      expect(usageOf({ usage: { prompt_tokens: 100, completion_tokens: figure } })).toMatchObject({
        inputTokens: 100,
        outputTokens: 0,
      });
    },
  );

  it('may be replaced by one with its own overflow wordings and truncation switches', async () => {
    const format: WireFormat = {
      ...openaiChat,
      provider: {
        overflows: [[/the letter is too long: (\d+) words/, 'inputLimit']],
        truncation: [{ field: 'fold', off: (value) => (value ? { value: false, was: 'fold' } : undefined) }],
      },
    };
    const session = (await engine(50_000, {}, { format })).session();
    await session.append(...openaiChat.parse([{ role: 'user', content: 'Go.' }]).messages);
    await session.prepare();
    expect((await session.overflowed(new Error('the letter is too long: 9 words'))).overflow).toBe(true);
    expect(session.untrimmed({ fold: true, truncate: true })).toEqual({ fold: false, truncate: false });
    const other = (await engine(50_000)).session();
    expect((await other.overflowed(new Error('the letter is too long: 9 words'))).overflow).toBe(false);
  });
});
