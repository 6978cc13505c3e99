import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { generateText, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../src/faces/adapters/index.js';
import type { Session } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { engine, prose, read, says, spillway as command, temporaryFolder, user } from './support.js';

const folder = temporaryFolder();

const emulated = () => startEmulator({ text: 'Built.' });

const opened: Session[] = [];
const session = async (format: string): Promise<Session> => {
  const one = (await engine(9_000, {}, { format })).session();
  opened.push(one);
  return one;
};

/** Fields that the audit of the newest session lists as switched off. */
const audited = async (one = opened.at(-1)!): Promise<unknown[]> =>
  (await one.operator.audit())
    .filter(({ kind }) => kind === 'compaction.trimming-off')
    .map(({ body }) => (body as { fields: unknown }).fields);

/** Fields that clients send although their types do not have them. */
const beside = (fields: object): object => fields;

it('K25: the drop-in for OpenAI switches trimming off, on both endpoints', async () => {
  const emulator = await emulated();
  const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
    chat: await session('openai-chat'),
    responses: await session('openai-responses'),
  });
  await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Build a mill.' }],
    ...beside({ transforms: ['middle-out'] }),
  });
  await client.responses.create({ model: 'm', input: 'Build a mill.', store: false, truncation: 'auto' });
  expect(emulator.received.map(({ body }) => [body.transforms, body.truncation])).toEqual([
    [[], undefined],
    [undefined, 'disabled'],
  ]);
  const [chat, responses] = opened.slice(-2);
  expect([await audited(chat), await audited(responses)]).toEqual([
    [['transforms: middle-out']],
    [['truncation: auto']],
  ]);
});

it('K25: the drop-in for Anthropic removes the request for context edits', async () => {
  const emulator = await emulated();
  const client = compactAnthropic(
    new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 }),
    await session('anthropic'),
  );
  await client.beta.messages.create({
    model: 'm',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Build a mill.' }],
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  });
  expect(emulator.received).toHaveLength(1);
  expect(emulator.received[0]!.body).toMatchObject({ max_tokens: 50 });
  expect(emulator.received[0]!.body).not.toHaveProperty('context_management');
  expect(await audited()).toEqual([['context_management']]);
});

it('K25: the middleware of the AI SDK switches trimming off in the options of the provider', async () => {
  const emulator = await emulated();
  const model = wrapLanguageModel({
    model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).responses('gpt-5'),
    middleware: compactAiSdk(await session('ai-sdk')),
  });
  const providerOptions = { openai: { truncation: 'auto', store: false } };
  await generateText({ model, prompt: 'Build a mill.', providerOptions });
  expect(emulator.received[0]!.body).toMatchObject({ truncation: 'disabled', store: false });
  expect(providerOptions.openai.truncation).toBe('auto');
  expect(await audited()).toEqual([['truncation: auto']]);
});

it('K25: the middleware for LangChain switches trimming off in the settings of the model', async () => {
  const { wrapModelCall } = compactLangChain(await session('langchain'));
  const asked: unknown[] = [];
  const request = {
    model: 'm',
    messages: [new HumanMessage('Build a mill.')],
    systemMessage: new SystemMessage(''),
    tools: [],
    modelSettings: { truncation: 'auto', temperature: 0 },
  };
  await wrapModelCall(request, ({ modelSettings }: typeof request) => {
    asked.push(modelSettings);
    return new AIMessage('Built.');
  });
  expect(asked).toEqual([{ truncation: 'disabled', temperature: 0 }]);
  expect(await audited()).toEqual([['truncation: auto']]);
});

it('K25: each field that was switched off is in the audit once, and in the history of a stored session', async () => {
  const store = `sqlite:${folder.path}/kept.db`;
  const spillway = await engine(9_000, {}, { store });
  const kept = await spillway.open({ id: 'mill' });
  await kept.append({ id: 'a', role: 'user', origin: 'user', parts: [{ type: 'text', text: prose(2_000) }] });
  for (let call = 0; call < 3; call++) {
    const { reading } = await kept.prepare();
    const body = { model: 'm', truncation: 'auto', ...(call === 2 && { context_management: {} }) };
    expect(kept.untrimmed(body)).toEqual({ model: 'm', truncation: 'disabled' });
    await kept.observe({ inputTokens: call === 1 ? 0.2 * reading.tokens : reading.tokens });
  }
  expect(await audited(kept)).toEqual([['truncation: auto'], ['context_management']]);
  await spillway.close();
  const { out } = await command(['history', 'mill', '--store', store]);
  expect(out).toMatch(/^nothing was compacted\ntrimming {2}2 times, at last: .*\(context_management\)\n/);
  expect(out).toMatch(
    /\ntrimming {2}[-\d]{10}T\S+Z {2}the provider counted far less than was sent.* \(401 of 2,004 tokens\)\n$/,
  );
  const json = await command(['history', 'mill', '--store', store, '--json']);
  expect((JSON.parse(json.out) as { trimming: unknown[] }).trimming).toHaveLength(3);
});

/** What the audit has of a server that keeps only `kept` tokens of each request while the session grows. */
async function cutTo(kept: number, calls: number, counts = 1) {
  const one = (await engine(30_000)).session();
  const seen: { call: number; pressure: number }[] = [];
  for (let call = 1; call <= calls; call++) {
    await one.append(
      ...read([user(`Go on. ${prose(300, call)}`), says(prose(400, 50 + call))]).map((message, i) => ({
        ...message,
        id: `${call}.${i}`,
      })),
    );
    const { reading } = await one.prepare();
    const estimate = reading.tokens / reading.scale;
    await one.observe({ inputTokens: Math.min(kept, Math.round(counts * estimate)) });
    seen.push({ call, pressure: estimate / reading.budget.tokens - reading.pressure });
  }
  const notices = (await one.operator.audit()).filter(({ kind }) => kind === 'compaction.trimmed-upstream');
  return { notices, seen, one };
}

it('K25: a server that cuts a growing session to a fixed size is reported, and does not change the scale', async () => {
  const { notices, seen, one } = await cutTo(4_096, 20);
  // 700 tokens a call: the sixth request is the first that is cut.
  expect(notices.length).toBeGreaterThanOrEqual(12);
  expect(notices.at(-1)!.body).toMatchObject({ reported: 4_096 });
  expect(one.reading.scale).toBeGreaterThan(0.95);
  expect(Math.max(...seen.map(({ pressure }) => pressure))).toBeLessThan(0.02);
});

it('K25: a server that counts differently is not reported as one that cuts', async () => {
  for (const counts of [0.7, 1, 1.6]) {
    const { notices, one } = await cutTo(Infinity, 12, counts);
    expect(notices).toEqual([]);
    expect(one.reading.scale).toBeCloseTo(counts, 1);
  }
});
