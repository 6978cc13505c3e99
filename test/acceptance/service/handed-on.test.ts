import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { originOf } from '../../support/listening.js';
import { says, user } from '../support.js';
import { proxied } from './proxied.js';
import { started } from './support.js';

async function open() {
  const { service, emulator } = await proxied({ window: 50_000 });
  return {
    async send(text: string, path = '/v1/chat/completions'): Promise<string> {
      const answer = await service.send(path, text);
      await answer.text();
      expect(answer.status).toBe(200);
      return emulator.received.at(-1)!.text;
    },
    sessions: async (): Promise<number> => (await service.get('/sessions')).body.items.length,
  };
}

const ALOUD = { role: 'user', content: 'Build the “mill” – 水車.' };

describe('a request that needs no change', () => {
  it('N13: is sent on byte for byte: spaces, order of fields, escapes, unknown fields', async () => {
    const { send, sessions } = await open();
    const history = [ALOUD, says('It stands.'), user('And the weir?')];
    for (const text of [
      `{ "messages" : ${JSON.stringify(history, null, 2)},\n "model":"m", "unheard_of": {"b": 1.0, "a": [ ] } }`,
      `{"model":"m","messages":${JSON.stringify([...history, says('Flows.'), user('Good.')])},"seed":7}`,
      `{"model":"m","messages":[{"role":"user","content":"Build the \\u201cmill\\u201d \\u2013 \\u6c34\\u8eca."}]}`,
    ])
      expect(await send(text)).toBe(text);
    expect(await sessions()).toBe(1 + 1);
  });

  it('N13: is sent on with nothing but a request for usage added if it is streamed', async () => {
    const { send } = await open();
    const text = `{"model":"m", "stream": true, "messages": ${JSON.stringify([ALOUD])} \n}\n`;
    const asked = await send(text);
    expect(asked).toBe(text.replace('\n}\n', '\n,"stream_options":{"include_usage":true}}'));
    const own = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":${JSON.stringify([ALOUD])}}`;
    expect(await send(own)).toBe(own);
  });

  it('N13: gets the complete refusal of its upstream, even if it is very long', async () => {
    const { service, emulator } = await proxied({ window: 50_000 });
    emulator.otherwise = { status: 502, body: { page: 'x'.repeat(3_000_000) } };
    const answer = await service.send('/v1/chat/completions', { model: 'm', messages: [ALOUD] });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toHaveLength(3_000_011);
  });

  it('N13: finds its session by every message, even if its first bytes are those of another history', async () => {
    const { send, sessions } = await open();
    const body = (...messages: object[]): string => JSON.stringify({ model: 'm', messages });
    const head = [ALOUD, says('It stands.'), user('And the weir?')];
    await send(body(...head));
    await send(body(...head, says('Flows.'), user('Good.')));
    expect(await sessions()).toBe(1);
    // The first bytes are the same, but the answer is another one.
    await send(body(...head, says('Dry.'), user('Why?')));
    expect(await sessions()).toBe(2);
    await send(body(...head, says('Flows.'), user('Good.'), says('Yes.'), user('On.')));
    await send(body(...head, says('Dry.'), user('Why?'), says('No rain.'), user('On.')));
    expect(await sessions()).toBe(2);
    // If a body has its messages twice, the later ones count.
    const twice = `${body(...head).slice(0, -1)},"messages":${JSON.stringify([user('Other.'), says('Yes?'), user('Hm.')])}}`;
    await send(twice);
    expect(await sessions()).toBe(3);
  });
});

describe('a connection to the upstream', () => {
  /** A server that answers once on each connection, and closes it at the next request. */
  async function once(isFirstRefused: boolean): Promise<{ url: string; asked: Set<Socket>[] }> {
    const known = new Set<Socket>();
    const hungUp = new Set<Socket>();
    const server = createServer((request, response) => {
      const { socket } = request;
      if (known.has(socket) || isFirstRefused) {
        hungUp.add(socket);
        socket.resetAndDestroy();
        return;
      }
      known.add(socket);
      request.resume();
      request.once('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end('{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}');
      });
    });
    return { url: `${await originOf(server)}/v1`, asked: [known, hungUp] };
  }

  /** The statuses of so many calls, and how many calls are counted as not answered. */
  async function statuses(url: string, count: number): Promise<[statuses: number[], unanswered: string]> {
    const service = await started(50_000, { server: { upstreams: { openai: url } } } as never);
    const all: number[] = [];
    for (let i = 0; i < count; i++) {
      const messages = [user(`Build mill ${i}.`)];
      const answer = await service.send('/v1/chat/completions', { model: 'm', messages });
      await answer.text();
      all.push(answer.status);
    }
    const figures = await service.metrics();
    return [all, /refusals_total\{status="none"\} (\d+)/.exec(figures)?.[1] ?? '0'];
  }

  it('N13: that was kept and is closed by now costs no call: the request is sent again on a new one', async () => {
    const { url, asked } = await once(false);
    expect(await statuses(url, 4)).toEqual([[200, 200, 200, 200], '0']);
    expect(asked[1]!.size).toBeGreaterThan(0);
  });

  it('N13: that fails at its first request is answered with 502', async () => {
    const { url, asked } = await once(true);
    expect(await statuses(url, 1)).toEqual([[502], '1']);
    expect(asked[1]!.size).toBe(1);
  });
});

describe('a body in an encoding', () => {
  const json = JSON.stringify({ model: 'm', messages: [user('Build the mill.')] });
  const encoded: readonly (readonly [string, Buffer, Record<string, string>])[] = [
    ['gzip', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['br', brotliCompressSync(json), { 'content-encoding': 'br' }],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2]), { 'content-encoding': 'zstd' }],
    ['utf-16', Buffer.from(json, 'utf16le'), {}],
    ['utf-16 with its mark', Buffer.from(`\ufeff${json}`, 'utf16le'), {}],
  ];

  async function before() {
    const seen: { readonly bytes: Buffer; readonly encoding: string | undefined }[] = [];
    const upstream = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => void pieces.push(piece));
      request.on('end', () => {
        seen.push({ bytes: Buffer.concat(pieces), encoding: request.headers['content-encoding'] });
        response.end('{"choices":[]}');
      });
    });
    const origin = await originOf(upstream);
    const upstreams = { openai: `${origin}/v1`, anthropic: origin };
    const service = await started(50_000, { server: { upstreams } } as never);
    const send = async (path: string, body: Buffer, more: Record<string, string> = {}): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...more };
      const answer = await fetch(`${service.url}/v1/${path}`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      });
      await answer.text();
      return answer.status;
    };
    const passed = (): number => service.lines.filter((line) => line.includes('"passed by"')).length;
    return { seen, send, passed };
  }

  it.each(encoded)(
    'N13: %s: is sent on as it came, without compaction, and logged',
    async (_, bytes, headers) => {
      const { seen, send, passed } = await before();
      for (const [count, path] of ['chat/completions', 'responses', 'messages'].entries()) {
        expect(await send(path, bytes, headers)).toBe(200);
        expect(seen.at(-1)).toEqual({ bytes, encoding: headers['content-encoding'] });
        expect(passed()).toBe(count + 1);
      }
      expect(await send('messages/count_tokens', bytes, headers)).toBe(200);
    },
  );

  it('N13: with a byte order mark of UTF-8 is read and sent on unchanged; invalid JSON is refused', async () => {
    const { seen, send, passed } = await before();
    const marked = Buffer.from(`\ufeff${json}`);
    expect(await send('chat/completions', marked, { 'content-encoding': 'identity' })).toBe(200);
    expect([seen.at(-1)!.bytes, passed()]).toEqual([marked, 0]);
    expect(await send('chat/completions', Buffer.from('{"messages":'))).toBe(400);
    expect(seen).toHaveLength(1);
  });
});
