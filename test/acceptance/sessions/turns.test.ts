import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { jest } from '@jest/globals';
import { streamText, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { compactAiSdk, compactAnthropic, compactOpenAI } from '../../../src/faces/adapters/index.js';
import type { Summarizer } from '../../../src/index.js';
import { startEmulator, type Act, type Emulator } from '../../emulator/index.js';
import { engine, prose, read, says, system, talk, user } from '../support.js';
import { KINDS, place } from './stores.js';

const openai = (emulator: Emulator) => new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
const anthropic = (emulator: Emulator) =>
  new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
const built: Act = { text: 'Built. And the roof stands.', usage: { inputTokens: 700, cacheReadTokens: 0 } };
const question = (content: string) => [{ role: 'user' as const, content }];

describe('N13: a side call through the same client', () => {
  it.each([...KINDS])(
    'N13: leaves the session as it was, with a title after each of ten turns, store %s',
    async (kind) => {
      const emulator = await startEmulator(built);
      const { store, again } = await place(kind);
      const spillway = await engine(6_000, {}, { store });
      const session = await spillway.open({ id: 'mill' });
      const kinds: string[] = [];
      session.events.subscribe(({ kind: what }) => kinds.push(what));
      const client = compactOpenAI(openai(emulator), { chat: session });
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }];
      const title = (turn: number): OpenAI.ChatCompletionMessageParam[] => [
        { role: 'system', content: 'You find titles.' },
        { role: 'user', content: `A title for: Question ${turn}` },
      ];
      for (let turn = 0; turn < 10; turn++) {
        messages.push({ role: 'user', content: `Question ${turn}: ${prose(200, turn)}` });
        messages.push((await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message);
        await client.chat.completions.create({ model: 'm', messages: title(turn) });
        expect(emulator.received.at(-1)!.body.messages).toEqual(title(turn));
      }
      expect(session.log.length).toBe(20);
      expect(kinds.filter((what) => what === 'aside')).toHaveLength(10);
      expect(kinds).not.toContain('rewound');
      if (kind === 'memory') return;
      const later = await (await engine(6_000, {}, { store: await again() })).open({ id: 'mill' });
      const chat = compactOpenAI(openai(emulator), { chat: later });
      await chat.chat.completions.create({ model: 'm', messages: title(1) });
      await chat.chat.completions.create({ model: 'm', messages: [...messages, ...question('And now?')] });
      expect((await later.load()).log.length).toBe(22);
    },
  );

  it('N13: leaves the session as it was, also if it has only instructions', async () => {
    const emulator = await startEmulator(built);
    const session = (await engine(3_000)).session();
    const client = compactOpenAI(openai(emulator), { chat: session });
    const messages = [...talk(12, 200), user('And now?')] as OpenAI.ChatCompletionMessageParam[];
    await client.chat.completions.create({ model: 'm', messages });
    for (const topic of ['mills', 'ships']) {
      const alone = [{ role: 'system' as const, content: `A title about ${topic}, please.` }];
      await client.chat.completions.create({ model: 'm', messages: alone });
      expect(emulator.received.at(-1)!.body.messages).toEqual(alone);
    }
    expect(session.log.length).toBe(messages.length);
    expect(session.operator.history).toHaveLength(1);
  });

  it('N13: a second conversation through one client is compacted on a path of its own', async () => {
    const emulator = await startEmulator(built);
    const spillway = await engine(3_000);
    const session = spillway.session({ format: 'anthropic' });
    const client = compactAnthropic(anthropic(emulator), session);
    const threads = [0, 1].map(() => [] as Anthropic.MessageParam[]);
    for (let turn = 0; turn < 10; turn++)
      for (const [i, messages] of threads.entries()) {
        messages.push({ role: 'user', content: `Thread ${i}, question ${turn}: ${prose(300, turn)}` });
        const { content } = await client.messages.create({ model: 'm', max_tokens: 50, messages });
        messages.push({ role: 'assistant', content });
      }
    expect(session.log.length).toBe(19);
    for (const { text } of emulator.received) expect(text.length / 4).toBeLessThan(3_600);
    const last = emulator.received.slice(-2).map(({ text }) => text);
    expect(last.map((text) => [text.includes('Thread 0'), text.includes('Thread 1')])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('N13: is not assumed if a client edits what it said: the edit is followed, and an event reports it', async () => {
    const session = (await engine(6_000)).session();
    const kinds: unknown[] = [];
    session.events.subscribe((event) => kinds.push(event));
    const start = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
    await session.follow({ messages: [...start, user('Of stone.')] });
    await session.follow({ messages: [...start, user('Of wood.')] });
    expect(kinds).toContainEqual({ kind: 'rewound', to: 3, left: 1 });
    expect(await session.isStranger({ messages: [user('A ship.')] })).toBe(true);
    expect(await session.isStranger({ messages: [system('Now be long.'), ...start.slice(1)] })).toBe(false);
  });
});

describe('N13: one client for many threads', () => {
  it.each([...KINDS])(
    'N13: finds the session of a request by its key, and holds at most two at a time, store %s',
    async (kind) => {
      const emulator = await startEmulator(built);
      const { store } = await place(kind);
      const spillway = await engine(6_000, {}, { store });
      const threads = spillway.sessionMap({ most: 2 });
      const chat = threads.by((body: { readonly user?: unknown }) => body.user as string | undefined);
      const client = compactOpenAI(openai(emulator), { chat });
      for (let turn = 0; turn < 3; turn++)
        for (const name of ['a', 'b', 'c']) {
          const history = [
            ...question(`I am ${name}.`),
            ...(talk(turn, 20) as OpenAI.ChatCompletionMessageParam[]),
          ];
          const messages = turn === 0 ? history : [...history, ...question('And now?')];
          await client.chat.completions.create({ model: 'm', user: name, messages });
        }
      expect(threads.size).toBe(2);
      for (const name of ['a', 'b', 'c']) {
        const session = await (await threads.of(name)).load();
        expect(session.log.length).toBe(6);
        expect(JSON.stringify(session.view)).toContain(`I am ${name}.`);
      }
      await client.chat.completions.create({ model: 'm', messages: question('No key.') });
      expect(emulator.received.at(-1)!.body.messages).toEqual(question('No key.'));
    },
  );

  it('N13: tries again to open a session that could not be opened', async () => {
    const { store } = await place('memory');
    let isDown = true;
    const shaky = new Proxy(store, {
      get: (target, name) =>
        name === 'load' && isDown
          ? () => Promise.reject(new Error('down'))
          : (Reflect.get(target, name) as (...given: unknown[]) => unknown).bind?.(target),
    });
    const threads = (await engine(6_000, {}, { store: shaky })).sessionMap();
    await expect(threads.of('a')).rejects.toThrow('down');
    isDown = false;
    await expect(threads.of('a')).resolves.toMatchObject({ id: 'a' });
    expect(threads.of('a')).toBe(threads.of('a'));
  });
});

describe('N13: the raw response of a wrapped client', () => {
  it('N13: can be read, complete and streamed, and its usage is counted', async () => {
    const emulator = await startEmulator(built);
    const spillway = await engine(6_000);
    const [chat, responses] = [spillway.session(), spillway.session({ format: 'openai-responses' })];
    const client = compactOpenAI(openai(emulator), { chat, responses });
    const body = { model: 'm', messages: question('Build a mill.') };
    const whole = await client.chat.completions.create(body).asResponse();
    expect([whole.status, whole.bodyUsed]).toEqual([200, false]);
    expect(await whole.json()).toMatchObject({ choices: [{ message: { content: built.text } }] });
    const stream = { ...body, stream: true as const, stream_options: { include_usage: true } };
    const events = await (await client.chat.completions.create(stream).asResponse()).text();
    expect(events).toMatch(/^data: \{.*chat\.completion\.chunk/);
    expect(events).toMatch(/data: \[DONE\]\n\n$/);
    expect(chat.operator.costs.primary.calls).toBe(2);
    const answer = await client.responses.create({ model: 'm', input: 'Hi', store: false }).asResponse();
    expect(await answer.json()).toMatchObject({ object: 'response' });
    const session = spillway.session({ format: 'anthropic' });
    const claude = compactAnthropic(anthropic(emulator), session);
    const asked = { model: 'm', max_tokens: 50, messages: question('Build a mill.') };
    expect(await (await claude.messages.create(asked).asResponse()).json()).toMatchObject({
      type: 'message',
    });
    const text = await (await claude.messages.create({ ...asked, stream: true }).asResponse()).text();
    expect(text).toMatch(/^event: message_start\ndata: [^]*event: message_stop\n/);
    expect(session.operator.costs.primary.calls).toBe(2);
  });

  it('N13: rejects with the error of the provider', async () => {
    const emulator = await startEmulator('server-error');
    const client = compactOpenAI(openai(emulator), { chat: await engine(6_000) });
    const asked = client.chat.completions.create({ model: 'm', messages: question('Hi') }).asResponse();
    await expect(asked).rejects.toMatchObject({ status: 500 });
  });
});

describe('K7: a stream in flight', () => {
  type Reading = { readonly first: AsyncIterator<unknown>; readonly next: () => Promise<unknown> };
  const STREAMS: Readonly<Record<string, (emulator: Emulator) => Promise<Reading>>> = {
    'openai chat': async (emulator) => {
      const client = compactOpenAI(openai(emulator), { chat: await engine(6_000) });
      const stream = await client.chat.completions.create({
        model: 'm',
        messages: question('Hi'),
        stream: true,
      });
      const messages = [...question('Hi'), { role: 'assistant' as const, content: 'x' }, ...question('And?')];
      return {
        first: stream[Symbol.asyncIterator](),
        next: () => client.chat.completions.create({ model: 'm', messages }),
      };
    },
    anthropic: async (emulator) => {
      const client = compactAnthropic(anthropic(emulator), await engine(6_000));
      const asked = { model: 'm', max_tokens: 50, messages: question('Hi') };
      const stream = await client.messages.create({ ...asked, stream: true });
      return { first: stream[Symbol.asyncIterator](), next: () => client.messages.create(asked) };
    },
    'the AI SDK': async (emulator) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(await engine(6_000)),
      });
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
      const { stream } = await model.doStream({ prompt });
      return {
        first: stream[Symbol.asyncIterator](),
        next: () => Promise.resolve(model.doGenerate({ prompt })),
      };
    },
  };
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  it.each(Object.keys(STREAMS))('K7: holds the next call until it is read to the end: %s', async (name) => {
    const emulator = await startEmulator(built);
    const { first, next } = await STREAMS[name]!(emulator);
    await first.next();
    const second = next();
    await turns();
    expect(emulator.received).toHaveLength(1);
    while (!(await first.next()).done);
    await second;
    expect(emulator.received).toHaveLength(2);
  });

  it.each(Object.keys(STREAMS))('K7: releases the next call when the reader stops: %s', async (name) => {
    const emulator = await startEmulator(built);
    const { first, next } = await STREAMS[name]!(emulator);
    await first.next();
    await first.return?.();
    await next();
    expect(emulator.received).toHaveLength(2);
  });

  it.each(Object.keys(STREAMS))('K7: does not hold up the next call if it is not read: %s', async (name) => {
    const emulator = await startEmulator(built);
    const { next } = await STREAMS[name]!(emulator);
    await next();
    expect(emulator.received).toHaveLength(2);
  });

  it('K7: releases the next call if its reader stays away', async () => {
    const emulator = await startEmulator(built);
    const { first, next } = await STREAMS['openai chat']!(emulator);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      await first.next();
      const second = next();
      await jest.advanceTimersByTimeAsync(10_000);
      await second;
    } finally {
      jest.useRealTimers();
    }
    expect(emulator.received).toHaveLength(2);
  });

  it('N13: does not hold up a title that streamText asks of the same model at once', async () => {
    const emulator = await startEmulator(built);
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
      middleware: compactAiSdk(await engine(6_000)),
    });
    const texts = ['Build a mill.', 'A title.'].map(
      (prompt) => streamText({ model, prompt, maxRetries: 0 }).text,
    );
    expect(await Promise.all(texts)).toEqual([built.text, built.text]);
  });
});

describe('AC-15: messages that arrive while a request is prepared', () => {
  const text = (id: string, tokens: number, role: 'user' | 'assistant' = 'user') => ({
    id,
    role,
    origin: role === 'user' ? ('user' as const) : ('model' as const),
    parts: [{ type: 'text' as const, text: prose(tokens, id.length) }],
  });
  const slow: Summarizer = {
    name: 'ours',
    endpoint: 'here',
    summarize: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { text: 'Goal: a mill. Done.', finishReason: 'stop' };
    },
  };
  const WHEN: Readonly<Record<string, (add: () => void) => Promise<void>>> = {
    'in the same tick': async (add) => add(),
    'a microtask later': (add) => Promise.resolve().then(add),
    'a turn later': (add) => new Promise((resolve) => setImmediate(() => resolve(add()))),
  };

  it.each(
    [undefined, 'memory' as const, 'sqlite' as const].flatMap((kind) =>
      Object.keys(WHEN).flatMap((when) =>
        [false, true].map((waits) => [kind ?? 'none', when, waits] as const),
      ),
    ),
  )('AC-15: are measured before they are sent: store %s, %s, a summarizer: %s', async (kind, when, waits) => {
    const store = kind === 'none' ? undefined : (await place(kind)).store;
    const more = { ...(store && { store }), ...(waits && { summarizer: slow }) };
    const spillway = await engine(3_000, {}, more);
    const session = store ? await spillway.open({ id: 'x' }) : spillway.session();
    await session.append(...read(talk(14, 90)));
    const prepared = session.prepare();
    const added: Promise<void>[] = [];
    await WHEN[when]!(() => {
      for (let i = 0; i < 8; i++)
        added.push(session.append(text(`n${i}`, 420, i % 2 ? 'assistant' : 'user')));
    });
    const { reading, messages } = await prepared;
    await Promise.all(added);
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(JSON.stringify(messages).length / 4).toBeLessThan(3_300);
  });
});
