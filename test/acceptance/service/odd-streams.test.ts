import { jest } from '@jest/globals';
import { createServer } from 'node:net';
import { eventsOf } from '../../../src/faces/server/proxy/sse.js';
import { originOf } from '../../support/listening.js';
import { prose, says, system, talk, user } from '../support.js';
import { BUDGET } from './proxied.js';
import { started } from './support.js';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
const delta = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}`;

/**
 * What a client with recall reads if its compacted request is answered by streams of these bytes, one a request; and the requests
 * that came.
 */
async function through(
  { head = HEAD, path = '/v1/chat/completions' }: { readonly head?: string; readonly path?: string },
  ...answers: readonly (readonly string[])[]
): Promise<{ readonly read: string; readonly heard: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let heard = '';
    socket.on('data', (bytes) => {
      const isAnswered = heard.endsWith('}');
      heard += String(bytes);
      if (isAnswered || !heard.endsWith('}')) return;
      requests.push(heard);
      void say(answers[requests.length - 1] ?? []);
    });
    const say = async (pieces: readonly string[]): Promise<void> => {
      socket.write(head);
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      socket.end();
    };
  });
  const url = await originOf(server);
  const upstreams = { openai: `${url}/v1`, anthropic: url };
  const service = await started(BUDGET, { server: { recall: 2, upstreams } } as never);
  const messages = [
    system('Be brief.'),
    user(prose(700, 1)),
    says('Good.'),
    ...talk(14, 300),
    user('Go on.'),
  ];
  const named = path.endsWith('responses') ? 'input' : 'messages';
  const answer = await service.send(path, { model: 'm', stream: true, [named]: messages });
  return { read: await answer.text(), heard: requests };
}

const throughRecall = (...answers: readonly (readonly string[])[]) => through({}, ...answers);

const readThroughRecall = async (...pieces: readonly string[]): Promise<string> =>
  (await throughRecall(pieces)).read;

/** A piece of a call, with the index and the fields that a server sends. */
const callPiece = (index: number, call: Readonly<Record<string, unknown>>): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] }, finish_reason: null }] })}\n\n`;
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';

describe('N15: a stream that an agent with the recall tool reads', () => {
  it('may end its lines with CR alone, wherever it is cut', async () => {
    const text = `${delta('The wall')}\r\r${delta(' stands.')}\r\r: kept alive\r\rdata: [DONE]\r\r`;
    for (const pieces of [[text], text.split(''), text.split(/(?<=\r)/)]) {
      const read = await readThroughRecall(...pieces);
      expect(read).toContain('The wall');
      expect(read).toContain(' stands.');
      expect(read.match(/\[DONE\]/g)).toHaveLength(1);
    }
  });

  it('keeps comments, and errors in plain words, which are no events of the provider', async () => {
    const read = await readThroughRecall(
      ': kept alive\n\n',
      `${delta('The wall')}\n\n`,
      'data: upstream ran out of memory, näher nichts\n\n',
      'data: [DONE]\n\n',
      ': over\n\n',
    );
    expect(read).toContain(': kept alive\n\n');
    expect(read).toContain('The wall');
    expect(read).toContain('data: upstream ran out of memory, näher nichts\n\n');
    expect(read).toContain('data: [DONE]\n\n');
  });

  it('may begin the arguments of a call with null', async () => {
    const { read, heard } = await throughRecall(
      [
        callPiece(0, { id: 'r', type: 'function', function: { name: 'recall', arguments: null } }),
        callPiece(0, { function: { arguments: '{"query":"mill"}' } }),
        END,
      ],
      [`${delta('It stands.')}\n\ndata: [DONE]\n\n`],
    );
    expect(heard).toHaveLength(2);
    expect(heard[1]).toContain(String.raw`"arguments":"{\"query\":\"mill\"}"`);
    expect(read).toContain('It stands.');
  });

  it('may give all calls the index 0: the client still gets its own call', async () => {
    const { read } = await throughRecall([
      callPiece(0, { id: 'r', type: 'function', function: { name: 'recall', arguments: '{"query":"a"}' } }),
      callPiece(0, { id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } }),
      END,
    ]);
    expect(read).toContain('"name":"read"');
    expect(read).not.toContain('"recall"');
  });

  it('may have no content type: the recall is answered, and the client does not see it', async () => {
    const head = HEAD.replace('content-type: text/event-stream\r\n', '');
    const { read, heard } = await through(
      { head },
      [
        callPiece(0, {
          id: 'r',
          type: 'function',
          function: { name: 'recall', arguments: '{"query":"mill"}' },
        }),
        END,
      ],
      [`${delta('It stands.')}\n\ndata: [DONE]\n\n`],
    );
    expect(heard).toHaveLength(2);
    expect(read).toContain('It stands.');
    expect(read).not.toContain('"recall"');
  });

  it('may send items of a response only at its end, or not complete them: none is lost', async () => {
    const event = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
    const ended = (...output: object[]) =>
      event('response.completed', { response: { id: 'r', status: 'completed', output } });
    const call = {
      type: 'function_call',
      id: 'fc',
      call_id: 'c',
      name: 'recall',
      arguments: '{"query":"mill"}',
    };
    const begun = { type: 'message', id: 'm', role: 'assistant', status: 'in_progress', content: [] };
    const whole = { ...begun, status: 'completed', content: [{ type: 'output_text', text: 'It stands.' }] };
    const added = event('response.output_item.added', { output_index: 0, item: begun });
    for (const last of [ended(whole), added + ended(whole)]) {
      const { read, heard } = await through({ path: '/v1/responses' }, [ended(call)], [last]);
      expect(heard).toHaveLength(2);
      expect(read).toContain('It stands.');
      expect(read).not.toContain('"recall"');
    }
  });

  it.each(['data: [DONE]', 'data:[DONE]'])(
    'may end with %s in both formats of OpenAI: the client gets it once, at the end',
    async (done) => {
      const call = { name: 'recall', arguments: '{"query":"mill"}' };
      const item = { type: 'function_call', id: 'fc', call_id: 'c', ...call };
      const event = (more: object): string => `data: ${JSON.stringify(more)}\n\n`;
      const ended = (...output: object[]) =>
        event({ type: 'response.completed', response: { id: 'r', status: 'completed', output } });
      const content = [{ type: 'output_text', text: 'It stands.' }];
      const wires: Record<string, [string, string]> = {
        '/v1/chat/completions': [
          `${callPiece(0, { id: 'r', type: 'function', function: call })}${END.slice(0, END.indexOf('data: [DONE]'))}`,
          `${delta('It stands.')}\n\n`,
        ],
        '/v1/responses': [ended(item), ended({ type: 'message', id: 'm', role: 'assistant', content })],
      };
      for (const [path, answers] of Object.entries(wires)) {
        const { read, heard } = await through({ path }, ...answers.map((said) => [`${said}${done}\n\n`]));
        expect(heard).toHaveLength(2);
        expect(read).toContain('It stands.');
        expect(read.split('[DONE]')).toEqual([expect.stringContaining('It stands.'), '\n\n']);
      }
    },
  );

  it.each([
    ['of one line', 'y'],
    ['of many lines', `${'y'.repeat(500)}\ndata: `],
  ])('copies each byte of a large event %s about once, and not once for each piece', async (_, text) => {
    const chunk = Buffer.alloc(65_536, text);
    const joins = jest.spyOn(Buffer, 'concat');
    const events = eventsOf(
      (async function* () {
        yield Buffer.from('data: {"b64":"');
        for (let sent = 0; sent < 900; sent++) yield await Promise.resolve(chunk);
        yield Buffer.from('"}\n\n: over');
      })(),
    );
    const lengths: number[] = [];
    for await (const { bytes } of events) lengths.push(bytes.length);
    const copied = joins.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    joins.mockRestore();
    const length = 14 + 900 * 65_536 + 4;
    expect(lengths).toEqual([length, 6]);
    expect(copied).toBeLessThan(3 * length);
  });
});
