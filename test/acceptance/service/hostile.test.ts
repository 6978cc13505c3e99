import { jest } from '@jest/globals';
import { connect, createServer } from 'node:net';
import { originOf } from '../../support/listening.js';
import { user } from '../support.js';
import { proxied } from './proxied.js';
import { started } from './support.js';
import { bearer, env, tokens } from './tokens.js';

/** The answer of a server to bytes that no client would send, until it closes the connection. */
function said(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece) => (text += String(piece)));
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const answer = await fetch(url, { headers });
  await answer.text();
  return answer.status;
}

it('a session named . or .. is refused, since no address reaches it, and other names with dots are accepted', async () => {
  const { service } = await proxied();
  const named = async (session: string): Promise<[number, string]> => {
    const body = { model: 'm', messages: [user('Hello.')] };
    const answer = await service.send('/v1/chat/completions', body, { 'x-spillway-session': session });
    return [answer.status, await answer.text()];
  };
  for (const name of ['.', '..']) {
    expect(await named(name)).toEqual([400, expect.stringMatching(/x-spillway-session is no name.*dots/)]);
    expect((await service.post('/sessions', { id: name })).status).toBe(400);
  }
  expect((await service.get('/sessions')).body.total).toBe(0);
  for (const name of ['...', '.a', 'a..b']) {
    expect((await named(name))[0]).toBe(200);
    expect((await service.get(`/sessions/${name}`)).body.id).toBe(name);
  }
});

describe('a service that checks access', () => {
  it('does not start without a token on an address that others reach, or with a weak token', async () => {
    await expect(started(4_000, { server: { host: '0.0.0.0' } } as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const weak = { tokens: [{ name: 'ops', role: 'operator', tokenEnv: 'OPS' }] };
    await expect(started(4_000, { server: weak } as never, { env: { OPS: 'short' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('does not start if two tenants have the same token', async () => {
    const two = [
      { name: 'mill', role: 'client', tokenEnv: 'MILL', tenant: 'mill' },
      { name: 'roof', role: 'client', tokenEnv: 'ROOF', tenant: 'roof' },
    ];
    const same = { env: { MILL: env.MILL, ROOF: env.MILL } };
    await expect(started(4_000, { server: { tokens: two } } as never, same)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/token roof.* no other role or tenant/),
    });
    // Two entries of one tenant may have it, while one replaces the other.
    const twice = two.map((one) => ({ ...one, name: 'mill', tenant: 'mill' }));
    await expect(started(4_000, { server: { tokens: twice } } as never, same)).resolves.toBeDefined();
  });

  it('lets each role do only what it may, and hides the sessions of other tenants', async () => {
    const { service, emulator } = await proxied({ server: { tokens: [...tokens] } } as never, { env });
    const ask = (token: string, method: string, path: string, body?: unknown) =>
      service.ask(method, path, body, bearer(token));
    expect((await service.get('/sessions')).status).toBe(401);
    expect((await ask('operator-token-012345678x', 'GET', '/sessions')).status).toBe(401);
    expect((await ask(env.WALL, 'GET', '/sessions')).status).toBe(200);
    expect((await ask(env.WALL, 'POST', '/sessions', {})).status).toBe(403);
    expect((await ask(env.ROOF, 'GET', '/sessions')).status).toBe(403);
    expect(await statusOf(`${service.url}/metrics`, bearer(env.WALL))).toBe(200);
    expect(await statusOf(`${service.url}/metrics`, bearer(env.MILL))).toBe(403);

    const { body: made } = await ask(env.MILL, 'POST', '/sessions', { id: 'own' });
    expect(made.id).toBe('mill:own');
    await ask(env.MILL, 'POST', '/sessions/mill:own/prepare', { request: { messages: [user('Hello.')] } });
    const body = { model: 'm', messages: [user('Hello.')] };
    const roof = { 'x-spillway-token': env.ROOF, authorization: 'Bearer upstream-key' };
    const named = (session: string) =>
      service.send('/v1/chat/completions', body, { ...roof, 'x-spillway-session': session });
    // As it was asked for, and as the answer names it.
    for (const name of ['own', 'roof%3Aown', 'roof:own'])
      expect((await named(name)).headers.get('x-spillway-session')).toBe('roof%3Aown');
    expect((await named('mill:own')).status).toBe(400);
    expect(emulator.received[0]!.headers).toMatchObject({ authorization: 'Bearer upstream-key' });
    expect(JSON.stringify(emulator.received[0]!.headers)).not.toContain(env.ROOF);

    expect((await ask(env.MILL, 'GET', '/sessions')).body.items.map(({ id }: { id: string }) => id)).toEqual([
      'mill:own',
    ]);
    for (const path of ['', '/messages', '/context', '/compactions', '/audit', '/events'])
      expect((await ask(env.MILL, 'GET', `/sessions/roof:own${path}`)).status).toBe(404);
    for (const [method, path, body] of [
      ['POST', '/prepare', { request: { messages: [user('Hello.')] } }],
      ['POST', '/observe', { input_tokens: 1, output_tokens: 1 }],
      ['POST', '/compact', {}],
      ['POST', '/plans', {}],
      ['POST', '/plans/abc/commit', {}],
      ['POST', '/recall', { query: 'Hello' }],
      ['POST', '/undo', {}],
      ['POST', '/release', {}],
      ['POST', '/rollback', { message_id: 'm0' }],
      ['PATCH', '/compactions/c1', { flag: 'bad' }],
    ] as const)
      expect([path, (await ask(env.MILL, method, `/sessions/roof:own${path}`, body)).status]).toEqual([
        path,
        404,
      ]);
    expect((await ask(env.OPS, 'GET', '/sessions')).body.items).toHaveLength(2);
    const log = service.lines.join('');
    for (const word of [...Object.values(env), 'upstream-key', 'Hello.']) expect(log).not.toContain(word);
  });

  it('N13: refuses changes for all tenants with the token of one tenant', async () => {
    const service = await started(4_000, { server: { tokens: [...tokens] } } as never, { env });
    const before = (await service.get('/knobs', undefined, bearer(env.MILL))).body.values;
    for (const [method, path, body] of [
      ['PATCH', '/knobs', { changes: { minGain: 0.1 } }],
      ['PATCH', '/knobs', { empty: ['window'] }],
      ['PUT', '/models/gpt-4.1', { contextWindow: 1 }],
      ['DELETE', '/models/gpt-4.1', undefined],
    ] as const) {
      const { status, body: said } = await service.ask(method, path, body, bearer(env.MILL));
      expect([path, status, said.error.code]).toEqual([path, 403, 'ACCESS_DENIED']);
    }
    expect((await service.get('/knobs', undefined, bearer(env.OPS))).body.values).toEqual(before);
  });

  it('refuses a session of an unknown format', async () => {
    const service = await started(4_000);
    const { status } = await service.post('/sessions', { id: 'own', format: '__proto__' });
    expect(status).toBe(400);
    expect((await service.post('/sessions', { id: 'own', format: 'anthropic' })).body).toMatchObject({
      id: 'own',
      format: 'anthropic',
    });
  });

  it('K17: treats odd names of models as plain names, or refuses them', async () => {
    const service = await started(4_000);
    const put = (name: string): Promise<{ status: number }> =>
      service.put(`/models/${encodeURIComponent(name)}`, { contextWindow: 5 });
    expect((await put('__proto__')).status).toBe(400);
    for (const name of [`${'*'.repeat(400)}a`, 'b*b*b*b*b*b*b*b*b*b*b*c', '<img src=x>', 'a/../../b'])
      expect((await put(name)).status).toBe(200);
    const limits = async (name: string): Promise<number> =>
      (await service.get(`/models/${encodeURIComponent(name)}`)).body.contextWindow;
    expect(await limits('b'.repeat(900))).not.toBe(5);
    expect(await limits('za')).toBe(5);
    expect(await limits(`${'b'.repeat(12)}c`)).toBe(5);
    expect(await limits('<img src=x>')).toBe(5);
    expect(({} as { contextWindow?: number }).contextWindow).toBeUndefined();
  });

  it('refuses pages of another site, by their origin and by the host that they name', async () => {
    const service = await started(4_000);
    const foreign = await service.post('/sessions', {}, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    const own = await service.post('/sessions', {}, { origin: service.url });
    expect(own.status).toBe(200);
    const rebound = await said(
      service.url,
      'GET /api/v1/sessions HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(rebound).toMatch(/^HTTP\/1\.1 403/);
    const proxied = await said(
      service.url,
      'GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(proxied).toMatch(/^HTTP\/1\.1 403/);
    const { headers } = await service.get('/sessions');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).not.toBe('*');
  });
});

/** An upstream that answers each path with what is given for it: head and body as they go over the wire. */
async function upstreamSaying(
  answers: Readonly<Record<string, string>>,
): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard.push(String(bytes));
      socket.end(
        answers[/^\S+ (\S+)/.exec(String(bytes))![1]!] ??
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}',
      );
    });
  });
  return { url: await originOf(server), heard };
}

describe('an upstream', () => {
  const page = "<script>fetch('/api/v1/sessions')</script>";
  const head =
    "HTTP/1.1 200 OK\r\ncontent-security-policy: script-src * 'unsafe-inline'\r\nx-content-type-options: none\r\naccess-control-allow-origin: *\r\n";

  it('N13: cannot send a page that runs under the address of the service', async () => {
    const upstream = await upstreamSaying({
      '/v1/page': `${head}content-type: text/html\r\n\r\n${page}`,
      '/v1/data': `${head}content-type: application/json\r\n\r\n{}`,
    });
    const service = await started(4_000, {
      server: { upstreams: { openai: `${upstream.url}/v1`, anthropic: upstream.url } },
    } as never);
    const answer = await fetch(`${service.url}/v1/page`);
    expect(await answer.text()).toBe(page);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const data = await fetch(`${service.url}/v1/data`);
    expect(await data.text()).toBe('{}');
    const { headers } = data;
    expect([headers.get('content-disposition'), headers.get('x-content-type-options')]).toEqual([
      null,
      'nosniff',
    ]);
  });

  it('N13: that switches to another protocol or sends an invalid status is answered with 502', async () => {
    const upstream = await upstreamSaying({
      '/v1/other': 'HTTP/1.1 101 Switching\r\nUpgrade: y\r\nConnection: upgrade\r\n\r\n',
      '/v1/none': 'HTTP/1.1 999 None\r\ncontent-length: 2\r\n\r\n{}',
      '/v1/switching': 'HTTP/1.1 101 Switching\r\n\r\n{}',
      '/v1/odd': 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\n{}',
    });
    const service = await started(4_000, {
      server: { upstreams: { openai: `${upstream.url}/v1`, anthropic: upstream.url } },
    } as never);
    for (const path of ['other', 'none', 'switching', 'odd'])
      expect(await statusOf(`${service.url}/v1/${path}`)).toBe(502);
  });

  it('N13: gets no token of the service in any header, and the path with its escapes', async () => {
    const upstream = await upstreamSaying({});
    const server = {
      tokens: [...tokens],
      upstreams: { openai: `${upstream.url}/v1`, anthropic: upstream.url },
    };
    const service = await started(4_000, { server } as never, { env });
    const headers = {
      'x-spillway-token': env.AGENT,
      'x-api-key': env.AGENT,
      authorization: `Bearer ${env.OPS}`,
      'api-key': 'own',
    };
    expect(await statusOf(`${service.url}/v1/models/a%3Ab%20c`, headers)).toBe(200);
    expect(upstream.heard).toHaveLength(1);
    expect(upstream.heard[0]).toMatch(/^GET \/v1\/models\/a%3Ab%20c HTTP/);
    expect(upstream.heard[0]).toContain('api-key: own');
    expect(upstream.heard[0]).not.toContain('-token-0123456789');
  });
});

describe('what clients send', () => {
  it('is refused if it is too large, malformed or too deep, or if its path is invalid', async () => {
    const { service, emulator } = await proxied({ server: { bodyBytes: 20_000 } } as never);
    for (const path of ['/v1/chat/completions', '/api/v1/sessions']) {
      const large = await service.send(path, 'x'.repeat(20_001));
      expect(large.status).toBe(413);
      expect(await large.text()).toContain('20000 bytes, the most that server.bodyBytes allows');
    }
    for (const body of ['', '{', '[]', '"text"', '{"messages":'.repeat(900)])
      expect((await service.send('/v1/chat/completions', body)).status).toBe(400);
    expect((await service.send('/api/v1/sessions', '{"__proto__":{"id":"x"}}')).status).toBe(400);
    expect((await service.send('/api/v1/sessions', '{"id":"../../etc"}')).status).toBe(400);
    const raw = (path: string): Promise<string> =>
      said(service.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    for (const path of ['/v1/../admin', '/v1/%2e%2e/admin', '/v1/a%2fb', '/v1/..%5cadmin', '/v1//models'])
      expect(await raw(path)).toMatch(/^HTTP\/1\.1 (?:400|404)/);
    expect(emulator.received).toHaveLength(0);
    for (const [status, name] of [[400, '%ZZ'] as const, [414, 'x'.repeat(1_100)] as const]) {
      const answer = await service.get(`/sessions/${name}`);
      expect([answer.status, answer.body.error.code]).toEqual([status, `HTTP_${status}`]);
    }
    expect((await service.get('/sessions?limit=5000')).status).toBe(400);
    expect((await service.get('/sessions?cursor=-1')).status).toBe(400);
  });

  it('is cut off if it does not arrive in time, and does not hold up other clients', async () => {
    const { service, emulator } = await proxied({ server: { requestMs: 300 } } as never);
    const begun = [
      'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{"messages":[{"role":"user","content":"weir',
      'POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"id":"weir',
      'GET /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: we',
    ].map((bytes) => said(service.url, bytes));
    expect((await service.get('/sessions')).status).toBe(200);
    for (const text of await Promise.all(begun)) expect(text).toMatch(/^HTTP\/1\.1 408/);
    expect(emulator.received).toHaveLength(0);
    expect((await service.get('/sessions')).body.items).toEqual([]);
    expect(service.lines.join('')).not.toContain('weir');
  });

  it('is refused by its type, its syntax, its fields or its depth, and not repeated in the log', async () => {
    const service = await started(4_000);
    const deep = `{"request":{"messages":[{"role":"user","content":${'['.repeat(5_000)}"weir"${']'.repeat(5_000)}}]}}`;
    await service.post('/sessions', { id: 'own' });
    const path = '/api/v1/sessions/own/prepare';
    const types = [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }];
    for (const headers of types) {
      const { status } = await service.send(path, '{"request":{"messages":[]},"weir":1}', headers as never);
      expect([400, 415]).toContain(status);
    }
    for (const body of [deep, '{"request": weir}', '{"request":{"messages":[]},"weir":1}', '"weir"']) {
      const answer = await service.send(path, body);
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([answer.status, typeof error.code]).toEqual([400, 'string']);
    }
    expect((await service.get('/sessions/own/log')).body.items).toEqual([]);
    expect(service.lines.join('')).not.toContain('weir');
  });

  it('cannot add headers to a request, or lines to the log', async () => {
    const { service, emulator } = await proxied();
    const injected = await said(
      service.url,
      'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nx-spillway-session: a\rx-evil: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(injected).toMatch(/^HTTP\/1\.1 400/);
    const smuggled = await said(
      service.url,
      'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    );
    expect(smuggled).toMatch(/^HTTP\/1\.1 400/);
    expect(emulator.received).toHaveLength(0);
    for (const line of service.lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('is not logged at length if it is the name of a model', async () => {
    const { service, emulator } = await proxied();
    emulator.otherwise = { status: 404, body: { error: { message: 'No such model.' } } };
    const asked = { model: 'm'.repeat(1_000_000), messages: [user('Hello.')] };
    expect((await service.send('/v1/chat/completions', asked)).status).toBe(404);
    expect(service.lines.join('')).toContain('"msg":"refused"');
    expect(service.lines.join('').length).toBeLessThan(5_000);
  });

  it('is limited by the minute of a timer, so that a clock that is set back refuses no request', async () => {
    const { service } = await proxied({ server: { requestsPerMinute: 1 } } as never);
    const statuses = [(await service.get('/me')).status, (await service.get('/me')).status];
    const clocks = [
      [Date, -3_600_000],
      [performance, 61_000],
    ] as const;
    const moved = clocks.map(([clock, by]) => {
      const now = clock.now.bind(clock);
      return jest.spyOn(clock as { now(): number }, 'now').mockImplementation(() => now() + by);
    });
    statuses.push((await service.get('/me')).status);
    for (const clock of moved) clock.mockRestore();
    expect(statuses).toEqual([200, 429, 200]);
  });

  it('is limited by the minute, and by the number of requests under way', async () => {
    const { service: few } = await proxied({ server: { requestsPerMinute: 3 } } as never);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await few.get('/me')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await few.send('/v1/chat/completions', { messages: [user('Hello.')] });
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'true']);
    // Probes are answered however busy the service is.
    for (const path of ['/health', '/ready']) expect(await statusOf(few.url + path)).toBe(200);
    const { service: narrow, emulator } = await proxied({ server: { concurrency: 1 } } as never);
    emulator.otherwise = 'never';
    const gone = new AbortController();
    const first = narrow
      .send('/v1/chat/completions', { messages: [user('Hello.')] }, {}, gone.signal)
      .catch(() => undefined);
    while (emulator.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await narrow.get('/me')).status).toBe(503);
    gone.abort();
    await first;
    // The request to the upstream is aborted, and there is room again.
    while ((await narrow.get('/me')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(emulator.received[0]!.aborted).toBe(true);
  });
});
