import { createServer } from 'node:http';
import OpenAI from 'openai';
import { openStore } from '../../../src/index.js';
import type { Emulator } from '../../emulator/index.js';
import { originOf } from '../../support/listening.js';
import { prose, temporaryFolder } from '../support.js';
import { proxied } from './proxied.js';
import { started, type Started } from './support.js';

const folder = temporaryFolder();

/** Numbers that a double writes back differently, or not at all. */
const NUMBERS =
  '[12345678901234567890,-9007199254740993,1e400,-0,1.0,0.10,1E5,123456789.12345678901234567890]';
const INPUT = `{"id":12345678901234567891,"nested":{"list":${NUMBERS}},"words":"id 12345678901234567892"}`;
const TOOLS = `[{"name":"read","input_schema":{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615,"default":1.0}}}}]`;

const call = (id: number, input = INPUT): string =>
  `{"role":"assistant","content":[{"type":"text","text":"I read."},{"type":"tool_use","id":"toolu_${id}","name":"read","input":${input}}]}`;
const result = (id: number, words = 'Read.'): string =>
  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_${id}","content":${JSON.stringify(words)}}]}`;
const user = (words: string): string => JSON.stringify({ role: 'user', content: words });

const body = (...messages: string[]): string =>
  `{"model":"m","max_tokens":400.0,"temperature":1.0,"metadata":{"user_id":"u","n":10000000000000000001},"tools":${TOOLS},"messages":[${messages.join()}]}`;

async function send(service: Started, text: string, headers = {}): Promise<string> {
  const answer = await service.send('/v1/messages', text, { 'anthropic-version': '2023-06-01', ...headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

const sent = (emulator: Emulator): string => emulator.received.at(-1)!.text;

describe('numbers that a double does not keep, through the proxy', () => {
  it('N13: reach the upstream digit by digit: in calls, in tools, and next to the messages', async () => {
    const { service, emulator } = await proxied({ window: 50_000 });
    const history = [user('Read it.'), call(1), result(1)];
    await send(service, body(...history));
    expect(sent(emulator)).toBe(body(...history));
    history.push(call(2, '{"id":12345678901234567893}'), result(2));
    await send(service, body(...history));
    expect(sent(emulator)).toBe(body(...history));
    const { body: list } = await service.get('/sessions');
    expect(list.items).toHaveLength(1);
  });

  it('N13: remain as they are after a compaction, and in a store that another process opens', async () => {
    const path = folder.file('numbers.db', '');
    const one = await proxied({ window: 3_000 }, { store: `sqlite:${path}` });
    const history = [user('Read it.')];
    for (let i = 1; i <= 12; i++) {
      history.push(call(i), result(i, prose(250, i)));
      await send(one.service, body(...history));
    }
    const { body: list } = await one.service.get('/sessions');
    expect(list.items[0].compactions).toBeGreaterThan(0);
    const asked = sent(one.emulator);
    expect(asked).toContain(`"id":"toolu_12","name":"read","input":${INPUT}}`);
    expect(asked).not.toContain('"toolu_1"');
    expect(asked).not.toMatch(/12345678901234567000|"temperature":1,|null/);

    const other = await proxied({ window: 3_000 }, { store: await openStore(`sqlite:${path}`) });
    await send(other.service, body(...history));
    expect(sent(other.emulator)).toBe(asked);
  });

  it('N13: tell two histories apart that differ in the last of twenty digits', async () => {
    const { service, emulator } = await proxied({ window: 50_000 });
    const history = (digit: number): string =>
      body(user('Read it.'), call(1, `{"id":1234567890123456789${digit}}`), result(1), user('And now?'));
    for (const digit of [1, 2]) {
      await send(service, history(digit));
      expect(sent(emulator)).toBe(history(digit));
    }
  });

  it('N13: remain as they are in an answer that follows a recall of the proxy', async () => {
    const input = '{"id":12345678901234567891,"share":1.0}';
    const usage = '"usage":{"input_tokens":10,"output_tokens":5}';
    const said = (content: string): string =>
      `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":"tool_use","stop_sequence":null,${usage}}`;
    const upstream = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => (text += String(piece)));
      request.on('end', () => {
        const recalls = text.includes('"toolu_recall"');
        const block = recalls
          ? `{"type":"tool_use","id":"toolu_99","name":"read","input":${input}}`
          : '{"type":"tool_use","id":"toolu_recall","name":"recall","input":{"query":"read"}}';
        response.setHeader('content-type', 'application/json');
        response.end(text.includes('"name":"recall"') ? said(block) : said('{"type":"text","text":"Good."}'));
      });
    });
    const upstreams = { anthropic: await originOf(upstream) };
    const service = await started(3_000, { server: { upstreams, recall: 3 } } as never);
    const history = [user('Read it.')];
    let answer = '';
    for (let i = 1; i <= 12 && !answer.includes('toolu_99'); i++) {
      history.push(call(i), result(i, prose(250, i)));
      answer = await send(service, body(...history));
    }
    expect(answer).toContain(`"input":${input}`);
    expect(answer).not.toContain('toolu_recall');
  });

  it('N13: are kept by the HTTP API, and as text in OpenAI’s arguments', async () => {
    const { service, emulator } = await proxied({ window: 50_000 });
    await service.post('/sessions', { id: 'own', format: 'anthropic' });
    const answer = await service.send(
      '/api/v1/sessions/own/prepare',
      `{"request":${body(user('Read it.'), call(1), result(1))},"max_output_tokens":400}`,
    );
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining(`"input":${INPUT}`)]);

    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'k', maxRetries: 0 });
    const tool = { id: 'call_1', type: 'function' as const, function: { name: 'read', arguments: INPUT } };
    await client.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'user', content: 'Read it.' },
        { role: 'assistant', tool_calls: [tool] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Read.' },
      ],
    });
    const [, asked] = emulator.received.at(-1)!.body.messages as readonly any[];
    expect(asked.tool_calls[0].function.arguments).toBe(INPUT);
  });
});
