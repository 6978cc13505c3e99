import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { compactAnthropic } from '../../src/faces/adapters/anthropic.js';
import type { DropInOptions } from '../../src/faces/adapters/index.js';
import { validateAnthropic } from '../../src/testkit/index.js';
import { answerOf } from '../emulator/acts.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { WIRES } from '../emulator/wires.js';
import { engine, prose } from './support.js';
import { asks, loop, turn, type Wire } from './thinking.js';

type Asked = Anthropic.MessageCreateParamsNonStreaming;

const ANSWER: Act = {
  text: 'I read it.',
  reasoning: 'Hm.',
  toolCalls: [{ id: 'toolu_9', name: 'Read', arguments: { path: 'src/mill.ts' } }],
  usage: { inputTokens: 2_400, cacheReadTokens: 100, outputTokens: 7 },
};

async function open(budget: number, settings = {}, options: DropInOptions = {}) {
  const emulator = await startEmulator();
  const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
  const session = (await engine(budget, settings, { format: 'anthropic' })).session();
  return { emulator, session, client: compactAnthropic(plain, session, options) };
}

const said = (...wire: Wire[]) => wire as unknown as Anthropic.MessageParam[];

const history = (turns: number): Anthropic.MessageParam[] =>
  said(...Array.from({ length: turns }, (_, i) => turn(`t${i}`, 5)).flat(), asks('And now?'));

const ask = (messages: Anthropic.MessageParam[]): Asked => ({
  model: 'claude-sonnet-5-5',
  max_tokens: 100,
  system: 'Be brief.',
  messages,
});

const sent = ({ received }: Emulator) => received.map(({ body }) => body);

describe('a compacting Anthropic client', () => {
  it('sends a short history unchanged', async () => {
    const { emulator, client } = await open(100_000);
    const body = { ...ask(history(2)), metadata: { user_id: 'u' } };
    const answer = await client.messages.create(body);
    expect(answer.content[0]).toMatchObject({ type: 'text' });
    expect(sent(emulator)).toEqual([body]);
  });

  it('streams through the helper and as raw events, and gives access to the response', async () => {
    const { emulator, session, client } = await open(4_000);
    emulator.otherwise = ANSWER;
    const whole = await client.messages.stream(ask(history(6))).finalMessage();
    expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    const raw = await client.messages.create({ ...ask(history(6)), stream: true });
    const events: string[] = [];
    for await (const { type } of raw) events.push(type);
    expect(events.at(-1)).toBe('message_stop');
    const { data, response } = await client.messages.create(ask(history(6))).withResponse();
    expect([data.stop_reason, response.status]).toEqual(['tool_use', 200]);
    for (const body of sent(emulator)) expect(validateAnthropic(body)).toEqual([]);
    expect(session.operator.costs.primary).toMatchObject({ calls: 3 });
    expect(session.operator.history.length).toBeGreaterThan(0);
  });

  it('rejects with the client’s own errors, and works after them', async () => {
    const { emulator, client } = await open(100_000);
    emulator.script = ['overloaded', 'good'];
    await expect(client.messages.create(ask(history(1)))).rejects.toBeInstanceOf(Anthropic.APIError);
    await expect(client.messages.create(ask(history(1)))).resolves.toMatchObject({ type: 'message' });
  });

  it('sends a prefilled answer last, and keeps it out of the log', async () => {
    const { emulator, client, session } = await open(100_000);
    await client.messages.create(ask([...history(1), { role: 'assistant', content: 'The mill' }]));
    expect((sent(emulator)[0]!['messages'] as unknown[]).at(-1)).toEqual({
      role: 'assistant',
      content: 'The mill',
    });
    expect(session.log.at(session.log.length - 1).role).toBe('user');
  });

  it('leaves no more cache marks than the provider accepts, those on tools included', async () => {
    const { emulator, client } = await open(100_000);
    const mark = { cache_control: { type: 'ephemeral' as const } };
    const messages: Anthropic.MessageParam[] = [];
    for (let i = 0; i < 4; i++) {
      messages.push({ role: 'user', content: [{ type: 'text', text: `Question ${i}.`, ...mark }] });
      const tools: Anthropic.Tool[] = [1, 2].map((n) => ({
        name: `t${n}`,
        input_schema: { type: 'object' },
        ...mark,
      }));
      await client.messages.create({ ...ask(messages), tools });
      messages.push({ role: 'assistant', content: 'Yes.' });
    }
    for (const body of sent(emulator)) expect(validateAnthropic(body)).toEqual([]);
    expect(JSON.stringify(sent(emulator)[3])).toContain('"text":"Question 3.","cache_control"');
  });

  it('answers /compact itself, streamed or not, and keeps command and answer out of the view', async () => {
    const { emulator, client, session } = await open(100_000, {}, { commands: true });
    const command = [...history(6).slice(0, -1), ...said(asks('/compact'))];
    const answer = await client.messages.create(ask(command));
    const again = await client.messages.stream(ask(command)).finalText();
    expect([answer.content[0], again]).toEqual([
      { type: 'text', text: expect.stringContaining('[spillway] Compacted'), citations: null },
      expect.stringContaining('[spillway]'),
    ]);
    expect([emulator.received.length, session.operator.history.length > 0]).toEqual([0, true]);
    expect(JSON.stringify(session.view)).not.toContain('/compact');
  });

  it('answers /compact to the tool runner too, and with access to the response', async () => {
    const { emulator, client, session } = await open(100_000, {}, { commands: true });
    const command = [...history(6).slice(0, -1), ...said(asks('/compact'))];
    const runner = () => ({ ...ask(command), tools: [] });
    const whole = await client.beta.messages.toolRunner(runner());
    expect(whole.content[0]).toMatchObject({ text: expect.stringContaining('[spillway] Compacted') });
    for await (const stream of client.beta.messages.toolRunner({ ...runner(), stream: true }))
      expect(await stream.finalText()).toContain('[spillway]');
    const { data, response } = await client.messages.create(ask(command)).withResponse();
    expect(await response.json()).toEqual(data);
    expect([emulator.received.length, session.operator.history.length > 0]).toEqual([0, true]);
  });

  it('compacts the steps of the tool runner, streamed or not, and counts their usage', async () => {
    for (const stream of [false, true]) {
      const { emulator, client, session } = await open(4_000);
      emulator.script = [ANSWER, { ...ANSWER, toolCalls: [] }];
      const look = betaTool({
        name: 'Read',
        description: 'Reads a file.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
        run: () => 'a wheel',
      });
      const runner = client.beta.messages.toolRunner({ ...ask(history(6)), tools: [look], stream });
      for await (const step of runner) if ('finalMessage' in step) await step.finalMessage();
      expect(sent(emulator)).toHaveLength(2);
      for (const body of sent(emulator)) {
        expect(validateAnthropic(body)).toEqual([]);
        expect(JSON.stringify(body)).not.toContain('"thread"');
      }
      expect(JSON.stringify(sent(emulator)[1])).toContain('a wheel');
      expect(session.operator.costs.primary).toMatchObject({ calls: 2 });
      expect(session.operator.history.length).toBeGreaterThan(0);
    }
  });

  const looks = (name: string, words = 'a wheel') =>
    betaTool({
      name,
      description: 'Looks.',
      inputSchema: { type: 'object', properties: {} },
      run: () => words,
    });
  const called = (name: string, at: number, text = 'On.'): Act => ({
    text,
    toolCalls: [{ id: `toolu_${at}`, name, arguments: {} }],
  });

  it('sends the provider’s own summary first and unchanged if the runner requests one', async () => {
    const { emulator, client } = await open(100_000);
    const summary = { type: 'compaction', content: 'The mill stands.', signature: 's' };
    const { whole } = WIRES.find(({ name }) => name === 'anthropic-messages')!;
    const answer = whole({ answer: answerOf('good', ''), model: 'm', body: {} }) as object;
    emulator.script = [
      called('Read', 1),
      { status: 200, body: { ...answer, content: [summary] } },
      { text: 'Done.' },
    ];
    const runner = client.beta.messages.toolRunner({ ...ask(history(1)), tools: [looks('Read')] });
    for await (const { role } of runner) {
      expect(role).toBe('assistant');
      if (sent(emulator).length === 1) runner.compactBeforeNextTurn({ type: 'summarize' });
    }
    expect((await runner.done()).content).toMatchObject([{ text: 'Done.' }]);
    const last = sent(emulator)[2]!;
    expect(last.messages).toEqual([{ role: 'assistant', content: [summary] }]);
    expect(validateAnthropic(last)).toEqual([]);
  });

  const removed = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'old' } };
  it.each([
    ['the words of the provider’s own summary', {}],
    ['the provider’s own summary whole if it changes tools', { tool_changes: [removed] }],
  ])('keeps %s when later messages are compacted', async (_, changes) => {
    const { emulator, client, session } = await open(4_000);
    const words = `The key of the mill is 4711. ${prose(60, 5)}`;
    const content = [{ type: 'compaction', content: words, signature: 's', ...changes }];
    emulator.script = Array.from({ length: 60 }, (_, at) => called('Read', at, prose(20, at)));
    emulator.otherwise = { text: 'Done.' };
    const messages = said({ role: 'assistant', content });
    const tools = [looks('Read', prose(250, 7))];
    await client.beta.messages.toolRunner({ ...ask(messages), tools });
    expect(session.operator.history.length).toBeGreaterThan(3);
    const last = sent(emulator).at(-1)!;
    expect(JSON.stringify(last)).toContain('The key of the mill is 4711.');
    expect(JSON.stringify(last).includes(JSON.stringify(content[0]))).toBe('tool_changes' in changes);
    expect(validateAnthropic(last)).toEqual([]);
  });

  it('keeps system messages that add or remove tools within the conversation', async () => {
    const { emulator, client, session } = await open(1_500);
    emulator.script = Array.from({ length: 24 }, (_, at) => called(at > 2 ? 'late' : 'Read', at));
    emulator.otherwise = { text: 'Done.' };
    const tools = [looks('Read', prose(150, 7)), looks('old')];
    const runner = client.beta.messages.toolRunner({ ...ask(history(1)), tools });
    for await (const { role } of runner) {
      expect(role).toBe('assistant');
      if (sent(emulator).length === 2) runner.addTools(looks('late', prose(150, 8)));
      if (sent(emulator).length === 3) runner.removeTools('old');
    }
    expect(session.operator.history.length).toBeGreaterThan(2);
    for (const body of sent(emulator)) expect(validateAnthropic(body)).toEqual([]);
    const changes = (sent(emulator).at(-1) as unknown as Asked).messages.flatMap(({ role, content }) =>
      (role as string) === 'system' && Array.isArray(content)
        ? content.map(({ type }) => type as string)
        : [],
    );
    expect(changes).toEqual(['tool_addition', 'tool_removal']);
  });

  it('leaves a thread alone, because the provider keeps its history', async () => {
    const { emulator, client, session } = await open(100_000);
    const thread = client.beta.messages.thread({ model: 'claude-sonnet-5-5', max_tokens: 100 });
    await thread.send({ role: 'user', content: 'Build a mill.' });
    await thread.send({ role: 'user', content: 'And a wheel.' });
    expect(sent(emulator).map((body) => (body.thread as { type: string }).type)).toEqual([
      'create',
      'continue',
    ]);
    expect(session.log.length).toBe(0);
  });

  it('keeps conversations apart if a function names the session of each request', async () => {
    const emulator = await startEmulator();
    const ai = await engine(100_000, {}, { format: 'anthropic' });
    const sessions = new Map([...'ab'].map((name) => [name, ai.session({ id: name })]));
    const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
    const client = compactAnthropic(plain, ({ system }) => sessions.get(String(system))!);
    await Promise.all(
      ['a', 'b'].map((system) => client.messages.create({ ...ask(said(asks(`I am ${system}.`))), system })),
    );
    for (const [name, { log }] of sessions)
      expect(JSON.stringify(log.at(1).parts)).toContain(`I am ${name}.`);
  });

  it('works with the beta resource, parallel requests and clients with other options', async () => {
    const { emulator, client, session } = await open(4_000);
    await client.beta.messages.create({ ...ask(history(3)), betas: ['x-1'] });
    await Promise.all([
      client.messages.create(ask(history(4))),
      client.withOptions({ timeout: 9_000 }).messages.create(ask(history(5))),
    ]);
    expect(emulator.peak).toBe(1);
    for (const body of sent(emulator)) expect(validateAnthropic(body)).toEqual([]);
    expect(session.log.length).toBeGreaterThan(40);
  });

  it('keeps a tool loop that outgrows the window legal and small', async () => {
    const { emulator, client } = await open(3_000);
    emulator.otherwise = ANSWER;
    const steps = said(asks('Read all files.'), ...loop('z', 30, 150));
    for (let to = 1; to <= steps.length; to += 2) await client.messages.create(ask(steps.slice(0, to)));
    for (const body of sent(emulator)) {
      expect(validateAnthropic(body)).toEqual([]);
    }
    const [whole, last] = [steps, sent(emulator).at(-1)].map((value) => JSON.stringify(value).length);
    expect(last!).toBeLessThan(0.5 * whole!);
  });
});
