import Anthropic from '@anthropic-ai/sdk';
import type { APIError } from 'openai';
import { startEmulator, type Emulator } from '../../emulator/index.js';
import { prose, says, system, talk, user, times, type Chat } from '../support.js';
import { AGENTS } from './clients.js';
import { BUDGET, chatOf, checkRequests, proxied } from './proxied.js';

const STEPS = 30;

/** A model that reads file after file, and then is done. */
function working(emulator: Emulator, steps = STEPS): void {
  let made = 0;
  emulator.otherwise = ({ text, wire }) => {
    made += 1;
    const usage = { inputTokens: Math.ceil(text.length / 4), cacheReadTokens: 0, outputTokens: 20 };
    if (made > steps) return { text: 'All stands.', usage };
    return {
      // A model that is asked to think begins with a thought.
      ...(wire === 'anthropic-messages' && { reasoning: `Thought ${made}.` }),
      toolCalls: [{ id: `call_${made}`, name: 'read', arguments: { path: `src/f${made}.ts` } }],
      usage,
    };
  };
}

const asked = (emulator: Emulator, at = -1): readonly Chat[] =>
  emulator.received.at(at)!.body.messages as readonly Chat[];

describe('unmodified clients through the proxy', () => {
  it.each(AGENTS)(
    'N13: $name goes on past the window, and none of its requests is refused',
    async ({ run }) => {
      const { service, emulator } = await proxied();
      emulator.windowChars = BUDGET * 5;
      working(emulator);
      expect(await run(service.url)).toBe('All stands.');
      expect(emulator.received).toHaveLength(STEPS + 1);
      checkRequests(emulator);
      expect(emulator.received.every(({ headers }) => JSON.stringify(headers).includes('client-key'))).toBe(
        true,
      );
      const { body } = await service.get('/sessions');
      expect(body.items).toHaveLength(1);
      expect(body.items[0].compactions).toBeGreaterThan(0);
      expect(body.items[0].costs.primary.calls).toBe(STEPS + 1);
      expect(service.lines.join('')).not.toContain('client-key');
    },
  );

  it.each(AGENTS)('N13: without the proxy $name fails with an overflow', async ({ run }) => {
    const emulator = await startEmulator();
    emulator.windowChars = BUDGET * 5;
    working(emulator);
    await expect(run(emulator.origin)).rejects.toThrow(/context length/);
  });
});

describe('the session of a request', () => {
  const model = 'm';
  const long = [system('Be brief.'), user('Build the mill.'), ...talk(14, 300)];

  it('is a separate one if its name is that of a session of another format', async () => {
    const { service, emulator } = await proxied();
    const client = chatOf(service);
    const headers = { 'x-spillway-session': 'ticket' };
    await client.chat.completions.create(
      { model, messages: [user('Build the mill.')] as never },
      { headers },
    );
    const asks = async (name: string, ...more: Chat[]): Promise<string> => {
      const { response } = await client.responses
        .create({ model, input: [...long, ...more] as never }, { headers: { 'x-spillway-session': name } })
        .withResponse();
      return response.headers.get('x-spillway-session')!;
    };
    const beside = await asks('ticket', user('And the roof?'));
    expect(beside).not.toBe('ticket');
    expect(await asks('ticket', user('And the roof?'), says('Planned.'), user('And the door?'))).toBe(beside);
    expect(JSON.stringify(emulator.received.at(-1)!.body).length).toBeLessThan(5 * BUDGET);
    expect(service.lines.join('')).not.toContain('passed by');
    checkRequests(emulator);
  });

  it('is found by its history, also by another process on the store, and forks when the history differs', async () => {
    const { service, emulator } = await proxied();
    const client = chatOf(service);
    const ask = async (messages: readonly Chat[]): Promise<string> => {
      const { response } = await client.chat.completions
        .create({ model, messages: messages as never })
        .withResponse();
      return response.headers.get('x-spillway-session')!;
    };
    const first = await ask([...long, user('And the roof?')]);
    const { body: before } = await service.get(`/sessions/${first}/compactions`);
    expect(before.items).toHaveLength(1);
    expect(await ask([...long, user('And the roof?'), says('Planned.'), user('And the door?')])).toBe(first);
    // Another question in place of the newest one, and another answer: each is a conversation of its own.
    const edited = await ask([...long, user('And the roof?'), says('Planned.'), user('And the gate?')]);
    const fork = await ask([...long, user('And the roof?'), says('Later.'), user('And the gate?')]);
    expect(new Set([first, edited, fork]).size).toBe(3);
    // Nothing is copied: its client sends all that it needs.
    const { body: forked } = await service.get(`/sessions/${fork}/compactions`);
    expect(forked.items).toHaveLength(1);
    const about = (await service.get(`/sessions/${fork}`)).body;
    expect([first, edited]).toContain(about.forkOf);
    expect(about.costs.primary.calls).toBe(1);
    // All conversations go on.
    const door = [...long, user('And the roof?'), says('Planned.'), user('And the door?'), says('Oak.')];
    expect(await ask([...door, user('Good.')])).toBe(first);
    const gate = [...long, user('And the roof?'), says('Planned.'), user('And the gate?'), says('Iron.')];
    expect(await ask([...gate, user('Good.')])).toBe(edited);

    const other = await proxied({}, { store: service.store });
    const { response } = await chatOf(other.service)
      .chat.completions.create({
        model,
        messages: [
          ...long,
          user('And the roof?'),
          says('Later.'),
          user('And the gate?'),
          says('Oak.'),
          user('Fine.'),
        ] as never,
      })
      .withResponse();
    expect(response.headers.get('x-spillway-session')).toBe(fork);
    expect(asked(other.emulator).length).toBeLessThan(long.length);
    checkRequests(emulator);
  });

  it('has one name for equal histories at once, which do not wait for each other', async () => {
    const { service, emulator } = await proxied();
    let letGo = (): void => undefined;
    let isHeld = false;
    emulator.otherwise = async () => {
      if (!isHeld) await new Promise<void>((resolve) => ([letGo, isHeld] = [resolve, true]));
      return 'good' as const;
    };
    const ask = (messages: readonly Chat[]) =>
      chatOf(service)
        .chat.completions.create({ model, messages: messages as never })
        .withResponse();
    const history = [...long, user('And the roof?')];
    const first = ask(history);
    while (!isHeld) await new Promise((resolve) => setTimeout(resolve, 2));
    const [second, third] = await Promise.all([ask(history), ask(history)]);
    // Another question waits for the first one's answer, as always.
    const next = ask([...history, says('Planned.'), user('And the door?')]);
    letGo();
    const names = [await first, second, third, await next].map(({ response }) =>
      response.headers.get('x-spillway-session'),
    );
    expect(new Set(names).size).toBe(1);
    checkRequests(emulator);
    const { body } = await service.get('/sessions');
    expect(body.items).toMatchObject([{ agentPath: 'primary' }]);
  });

  it('remains the same when a note of its client moves from message to message', async () => {
    const { service, emulator } = await proxied();
    const client = new Anthropic({ baseURL: service.url, apiKey: 'client-key', maxRetries: 0 });
    const note = { type: 'text' as const, text: '<system-reminder>Mind the list.</system-reminder>' };
    const said = (text: string, last: boolean): object => ({
      role: 'user',
      content: [{ type: 'text', text }, ...(last ? [note] : [])],
    });
    const sessions = new Set<string>();
    for (let turn = 1; turn <= 4; turn++) {
      const messages = times(turn, (at) => [
        said(`Question ${at}.`, at > 0 && at === turn - 1),
        ...(at < turn - 1 ? [{ role: 'assistant', content: `Answer ${at}.` }] : []),
      ]);
      const { response } = await client.messages
        .create({ model, max_tokens: 9, messages: messages as never })
        .withResponse();
      sessions.add(response.headers.get('x-spillway-session')!);
      expect(emulator.received.at(-1)!.body.messages).toEqual(messages);
    }
    expect(sessions.size).toBe(1);
  });

  it('is the one that a header names, and the name of another tenant is refused', async () => {
    const { service } = await proxied();
    const client = chatOf(service);
    const body = { model, messages: [{ role: 'user' as const, content: 'Hello.' }] };
    const { response } = await client.chat.completions
      .create(body, { headers: { 'x-spillway-session': 'mill-7' } })
      .withResponse();
    expect(response.headers.get('x-spillway-session')).toBe('mill-7');
    await expect(
      client.chat.completions.create(body, { headers: { 'x-spillway-session': 'other:mill' } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('R1: without a stored log the same history leads to the same request', async () => {
    const sent: unknown[] = [];
    for (let process = 0; process < 2; process++) {
      const { service, emulator } = await proxied();
      await chatOf(service).chat.completions.create({
        model,
        messages: [...long, user('And the roof?')] as never,
      });
      sent.push(emulator.received[0]!.body.messages);
    }
    expect(sent[0]).toEqual(sent[1]);
    expect((sent[0] as unknown[]).length).toBeLessThan(long.length);
  });
});

describe('a call through the proxy', () => {
  const messages = (turns: number): never =>
    [system('Be brief.'), ...talk(turns, 300), user('And the roof?')] as never;

  it('K2: is compacted and retried once if the upstream finds it too long, and a second refusal is passed on', async () => {
    const { service, emulator } = await proxied();
    const client = chatOf(service);
    emulator.script = ['context-length', { text: 'Built.' }];
    const answer = await client.chat.completions.create({ model: 'm', messages: messages(6) });
    expect(answer.choices[0]!.message.content).toBe('Built.');
    expect(emulator.received[1]!.text.length).toBeLessThan(emulator.received[0]!.text.length);
    emulator.script = ['context-length', 'context-length'];
    await expect(client.chat.completions.create({ model: 'm', messages: messages(7) })).rejects.toMatchObject(
      { status: 400, code: 'context_length_exceeded' },
    );
  });

  it('passes on the answer of the upstream byte for byte', async () => {
    const { service, emulator } = await proxied();
    const ask = (origin: string): Promise<Response> =>
      fetch(`${origin}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({
          model: 'm',
          max_tokens: 9,
          stream: true,
          messages: [{ role: 'user', content: 'Hello.' }],
        }),
      });
    expect(await (await ask(service.url)).text()).toBe(await (await ask(emulator.origin)).text());
    for (const act of ['rate-limit', 'overloaded', 'wrong-key'] as const) {
      emulator.script = [act, act];
      const [own, straight] = [await ask(service.url), await ask(emulator.origin)];
      expect(own.status).toBe(straight.status);
      expect(own.headers.get('x-spillway-session')).toMatch(/^s-/);
      expect(await own.text()).toBe(await straight.text());
    }
  });

  it('is sent on as it came, and logged, if it cannot be compacted', async () => {
    const { service, emulator } = await proxied({ window: 200 } as never);
    const long = [...(messages(3) as readonly Chat[]), user(prose(300))] as never;
    const { data: answer, response } = await chatOf(service)
      .chat.completions.create({ model: 'm', messages: long })
      .withResponse();
    expect(answer.choices[0]!.finish_reason).toBe('stop');
    expect(response.headers.get('x-spillway-session')).toMatch(/^s-/);
    expect(asked(emulator)).toEqual(long);
    const lines = service.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'passed by', code: 'BUDGET_UNREACHABLE' }));
    // The log says when it was, and what did not fit.
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'failed',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        tokens: expect.any(Number),
        limit: expect.any(Number),
        floor: expect.objectContaining({ total: expect.any(Number) }),
      }),
    );
  });

  it('K22: waits for the approval of an operator if the settings say so', async () => {
    const { service, emulator } = await proxied({ compaction: { approval: 'ask' } } as never);
    const client = chatOf(service);
    const refused = await client.chat.completions
      .create({ model: 'm', messages: messages(14) })
      .catch((error: unknown) => error as APIError);
    expect(refused).toMatchObject({ status: 409, code: 'COMPACTION_PENDING' });
    const { body } = await service.get('/inbox');
    const [{ sessionId, plan }] = body.items;
    expect((refused as APIError).message).toContain(`The session is ${sessionId}.`);
    expect((refused as APIError).headers!.get('x-spillway-session')).toBe(sessionId);
    await service.post(`/sessions/${sessionId}/plans/${plan.hash}/approve`);
    await client.chat.completions.create({ model: 'm', messages: messages(14) });
    expect(emulator.received).toHaveLength(1);
  });

  it('A6: compacts at a user message with only /compact if commands are switched on', async () => {
    const { service, emulator } = await proxied({ server: { commands: true } } as never);
    const client = chatOf(service);
    const answer = await client.chat.completions.create({
      model: 'm',
      messages: [...talk(8, 300), user('/compact')] as never,
    });
    expect(answer.choices[0]!.message.content).toMatch(/^\[spillway\] Compacted/);
    const messages = [...talk(8, 300), user('/compact')] as never;
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    let streamed = '';
    for await (const { choices } of stream) streamed += choices[0]?.delta.content ?? '';
    expect(streamed).toMatch(/^\[spillway\]/);
    expect(emulator.received).toHaveLength(0);
    const off = await proxied();
    await chatOf(off.service).chat.completions.create({ model: 'm', messages: [user('/compact')] as never });
    expect(asked(off.emulator).at(-1)!.content).toBe('/compact');
  });

  it('counts the tokens of the request that would be sent, and lists the models of the upstream', async () => {
    const { service, emulator } = await proxied();
    const client = new Anthropic({ baseURL: service.url, apiKey: 'client-key', maxRetries: 0 });
    const history = [...talk(14, 300), user('And the roof?')] as never;
    const whole = await client.messages.countTokens({ model: 'm', messages: history });
    await client.messages.create({ model: 'm', max_tokens: 9, messages: history });
    const compacted = await client.messages.countTokens({ model: 'm', messages: history });
    expect(compacted.input_tokens).toBeLessThan(whole.input_tokens * 0.8);
    expect((await client.models.list()).data[0]!.id).toBe('emulated');
    expect(emulator.received).toHaveLength(1);
  });
});
