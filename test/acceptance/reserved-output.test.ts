import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, wrapLanguageModel, type ModelMessage } from 'ai';
import { compactAiSdk, compactAnthropic } from '../../src/faces/adapters/index.js';
import { createSpillway, openStore } from '../../src/index.js';
import { startEmulator, type Decide, type Emulator } from '../emulator/index.js';
import { started } from './service/support.js';
import { prose, quarter } from './support.js';

const tokensOf = ({ text }: { readonly text: string }): number => Math.ceil(text.length / 4);

const usageOf = (inputTokens: number) => ({ inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 });

const refusal = (message: string) => ({
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
});

/** A provider that counts the requested answer together with the prompt. */
const countsBoth =
  (window: number): Decide =>
  (request) => {
    const [input, output] = [tokensOf(request), Number(request.body.max_tokens)];
    return input + output > window
      ? refusal(
          `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`,
        )
      : { text: 'Built.', usage: usageOf(input) };
  };

/** A provider that counts the prompt alone. */
const countsInput =
  (window: number): Decide =>
  (request) =>
    tokensOf(request) > window
      ? refusal(`prompt is too long: ${tokensOf(request)} tokens > ${window} maximum`)
      : { text: 'Built.', usage: usageOf(tokensOf(request)) };

const refused = (emulator: Emulator, window: number, answer: (max: number) => number): number =>
  emulator.received.filter((one) => tokensOf(one) + answer(Number(one.body.max_tokens)) > window).length;

describe('K2: room for the answer', () => {
  it('K2: the answer length that the AI SDK adds is learned from refusals, so that a third session gets none', async () => {
    const WINDOW = 200_000;
    const emulator = await startEmulator(countsBoth(WINDOW));
    const store = await openStore('memory:');
    const model = 'claude-opus-4-6';
    const anthropic = createAnthropic({ baseURL: emulator.url, apiKey: 'k' });
    const engineOf = () => createSpillway({ counter: quarter, model, store });
    const talk = async (id: string, turns: number): Promise<void> => {
      const session = await (await engineOf()).open({ id, format: 'ai-sdk' });
      const wrapped = wrapLanguageModel({ model: anthropic(model), middleware: compactAiSdk(session) });
      const messages: ModelMessage[] = [];
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: 'user', content: `Question ${turn}: ${prose(18_000, turn)}` });
        const { text } = await generateText({ model: wrapped, messages, maxRetries: 0 });
        expect(text).toBe('Built.');
        messages.push({ role: 'assistant', content: text });
      }
    };
    await talk('a', 12);
    expect(Number(emulator.received[0]!.body.max_tokens)).toBeGreaterThan(60_000);
    expect(refused(emulator, WINDOW, (max) => max)).toBe(1);
    await talk('b', 6);
    expect(refused(emulator, WINDOW, (max) => max)).toBe(2);
    // Two sessions learned the same limit, so a third one starts with it.
    await talk('c', 6);
    expect(refused(emulator, WINDOW, (max) => max)).toBe(2);
  });

  it.each([
    ['counts the answer with it', countsBoth(20_000), (max: number) => max],
    ['looks at the prompt alone', countsInput(20_000), () => 0],
  ])(
    'K2: tools that leave no room for the requested answer cause a warning if the provider %s',
    async (_, otherwise, answer) => {
      const emulator = await startEmulator(otherwise);
      const spillway = await createSpillway({
        counter: quarter,
        model: 'mill',
        settings: { safetyMargin: 0 },
      });
      const session = spillway.session({ format: 'anthropic' });
      const warned: string[] = [];
      session.events.subscribe((event) => event.kind === 'warning' && warned.push(event.code));
      const client = compactAnthropic(
        new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 }),
        session,
      );
      const messages: Anthropic.MessageParam[] = [];
      const ask = async (turn: number): Promise<string> => {
        messages.push({ role: 'user', content: `Question ${turn}: ${prose(1_200, turn)}` });
        const tools = [tool(9_000)];
        const { content } = await client.messages.create({
          model: 'mill',
          max_tokens: 14_000,
          messages,
          tools,
        });
        messages.push({ role: 'assistant', content: 'Built.' });
        return (content[0] as { text: string }).text;
      };
      if (answer(1) === 1) {
        // No request with these tools can be answered: a warning says so.
        await expect(ask(0)).rejects.toMatchObject({ status: 400 });
        expect(warned).toContain('refused-again');
        return;
      }
      for (let turn = 0; turn < 20; turn++) expect(await ask(turn)).toBe('Built.');
      expect(refused(emulator, 20_000, answer)).toBeLessThanOrEqual(1);
      expect(warned).toContain('answer-gives-way');
      await spillway.close();
    },
  );

  it('K2: an agent with 19k of tools works through the proxy in an unstated window of 45k after one refusal', async () => {
    const emulator = await startEmulator(countsInput(45_000));
    const service = await started(0, {
      window: null,
      reserve: {},
      server: { upstreams: { anthropic: emulator.origin } },
    } as never);
    const client = new Anthropic({ baseURL: service.url, apiKey: 'k', maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Build a mill.' }];
    const tools = [tool(19_000)];
    for (let step = 0; step < 20; step++) {
      await client.messages
        .stream({ model: 'claude-sonnet-4-6', max_tokens: 32_000, messages, tools })
        .finalMessage();
      const id = `toolu_${step}`;
      messages.push(
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { path: `f${step}` } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: prose(4_800, step) }] },
      );
    }
    expect(refused(emulator, 45_000, () => 0)).toBe(1);
    expect(service.lines.filter((line) => line.includes('failed after a refusal'))).toEqual([]);
  });

  it.each([
    ['that the reserve of a setting would take whole', { reserve: { output: 8_000 } }, {}],
    ['that the reserve of its profile would take whole', {}, { profile: 'pivot' }],
    ['beside which it has a limit of its own for input', {}, { limits: { inputLimit: 7_500 } }],
  ])('K2: the requested answer is kept free of a window %s', async (_, settings, more) => {
    const { limits, ...options } = { limits: {}, ...more };
    const mill = { contextWindow: 8_000, ...limits };
    const spillway = await createSpillway({
      ...options,
      counter: quarter,
      model: 'mill',
      settings: { ...settings, models: { mill } },
    });
    for (const maxOutputTokens of [1_900, 3_000, 5_000]) {
      const { reading } = await spillway.session().prepare({ maxOutputTokens });
      expect(reading.budget.tokens).toBeLessThanOrEqual(8_000 - maxOutputTokens);
    }
    const { reading } = await spillway.session().prepare();
    expect(reading.budget.tokens).toBeGreaterThan(5_000);
  });
});

/** A tool definition of about this many tokens. */
function tool(tokens: number): Anthropic.Tool {
  return { name: 'read', description: prose(tokens, 7), input_schema: { type: 'object', properties: {} } };
}
