import { jest } from '@jest/globals';
import { get, Server, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { definePlugin, openStore, SpillwayError, type SessionStore } from '../../../src/index.js';
import { arrived } from '../../emulator/index.js';
import { talk, user } from '../support.js';
import { proxied } from './proxied.js';
import { started, type Started } from './support.js';
import { bearer, env, tokens } from './tokens.js';

type Failing = 'hangs' | 'rejects' | 'reads alone' | undefined;

/** A store that hangs, rejects, or can only be read, as `failing` says. */
async function shaky(): Promise<{ readonly store: SessionStore; failing: Failing }> {
  const base = await openStore('memory:');
  const state = {
    failing: undefined as Failing,
    store: new Proxy(base, {
      get(target, name) {
        const own = Reflect.get(target, name, target) as unknown;
        if (typeof own !== 'function') return own;
        return (...given: unknown[]) => {
          if (state.failing === undefined || name === 'close') return Reflect.apply(own, target, given);
          if (state.failing === 'reads alone' && READS.has(name)) return Reflect.apply(own, target, given);
          if (state.failing === 'hangs') return new Promise(() => undefined);
          return Promise.reject(Object.assign(new Error('secret words'), { code: 'ECONNREFUSED' }));
        };
      },
    }),
  };
  return state;
}

const CHAT = '/v1/chat/completions';
const READS: ReadonlySet<unknown> = new Set(['load', 'messages', 'events', 'value', 'values', 'usage']);

const chat = (
  service: Started,
  messages: readonly object[],
  session?: string,
  signal?: AbortSignal,
): Promise<Response> =>
  service.send(
    CHAT,
    { model: 'm', messages },
    {
      authorization: 'Bearer client-key',
      ...(session !== undefined && { 'x-spillway-session': session }),
    },
    signal,
  );

const ready = async (service: { readonly url: string }): Promise<[number, string | undefined]> => {
  const answer = await fetch(`${service.url}/ready`);
  return [answer.status, ((await answer.json()) as { status?: string }).status];
};

/** Log lines of one message. */
const said = (service: Started, msg: string): Record<string, unknown>[] =>
  service.lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.msg === msg);

/** The newest line of a request, once so many are there. */
const logged = async (service: Started, count = 1): Promise<Record<string, unknown>> => {
  for (;;) {
    const lines = said(service, 'request');
    if (lines.length >= count) return lines.at(-1)!;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe('a store that fails while the service runs', () => {
  it.each(['hangs', 'rejects'] as const)(
    '%s: stops no call, is reported, and comes back',
    async (failing) => {
      const state = await shaky();
      const { service } = await proxied({ storeMs: 150 } as never, { store: state.store });
      expect((await chat(service, [user('Build the mill.')], 'mill')).status).toBe(200);
      expect(await ready(service)).toEqual([200, 'ready']);
      state.failing = failing;
      const answers = await Promise.all([
        chat(service, [user('Build the mill.'), ...talk(1, 10), user('On.')], 'mill'),
        chat(service, [user('Build a weir.')]),
        chat(service, [user('Build a roof.')], 'roof'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      while ((await ready(service))[1] !== 'degraded');
      expect(await ready(service)).toEqual([200, 'degraded']);
      expect((await fetch(`${service.url}/health`)).status).toBe(200);
      expect(said(service, 'store-failed')).toContainEqual(
        expect.objectContaining({ session: 'mill', agent: 'primary', model: 'm', code: 'STORE_FAILED' }),
      );
      // A request passes by only for an error that no store of Spillway throws.
      expect(said(service, 'passed by').filter(({ code }) => code !== 'ECONNREFUSED')).toEqual([]);
      expect(await service.metrics()).toMatch(/spillway_store_failures_total [1-9]/);
      state.failing = undefined;
      while ((await ready(service))[1] !== 'ready');
      expect((await chat(service, [user('Build a dam.')])).headers.get('x-spillway-session')).toMatch(/^s-/);
      expect(service.lines.join('')).not.toMatch(/secret words|client-key|Build/);
    },
  );

  it('is logged once in each call, and /ready gives the code of its fault', async () => {
    const state = await shaky();
    const { service } = await proxied({}, { store: state.store });
    const history = [user('Build the mill.')];
    await chat(service, history, 'mill');
    state.failing = 'rejects';
    for (let call = 1; call <= 2; call++) {
      history.push(...talk(1, 10), user('On.'));
      expect((await chat(service, history, 'mill')).status).toBe(200);
      await logged(service, call + 1);
      expect(said(service, 'store-failed')).toHaveLength(call);
    }
    expect(await (await fetch(`${service.url}/ready`)).json()).toMatchObject({
      status: 'degraded',
      code: 'STORE_FAILED',
      cause: 'ECONNREFUSED',
    });
  });

  it('is logged in each call of the HTTP API too, and in a call whose client has gone', async () => {
    const state = await shaky();
    const { service, emulator } = await proxied({}, { store: state.store });
    const messages: object[] = [];
    const prepared = async (words: string): Promise<number> => {
      messages.push(...talk(1, 10), user(words));
      return (await service.post('/sessions/mill/prepare', { request: { messages } })).status;
    };
    await service.post('/sessions', { id: 'mill' });
    expect(await prepared('Build the mill.')).toBe(200);
    state.failing = 'reads alone';
    for (let call = 1; call <= 2; call++) {
      expect(await prepared(`Build ${call}.`)).toBe(200);
      expect(said(service, 'store-failed')).toHaveLength(call);
    }
    emulator.otherwise = 'never';
    for (let call = 1; call <= 2; call++) {
      const gone = new AbortController();
      messages.push(...talk(1, 10), user(`Go ${call}.`));
      const answer = chat(service, messages, 'mill', gone.signal);
      await arrived(emulator, call);
      gone.abort();
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      await logged(service, 4 + call);
      expect(said(service, 'store-failed')).toHaveLength(2 + call);
    }
  });

  it('makes the service not ready if calls cannot go on without it', async () => {
    const store = await openStore('memory:');
    const service = await started(4_000, {}, { store });
    store.setValue = () =>
      Promise.reject(new SpillwayError('STORE_SCHEMA', { subject: 'store', remedy: 'Use another.' }));
    expect((await ready(service))[0]).toBe(503);
  });
});

describe('what fails within a compaction', () => {
  it('is logged: a summarizer that gives no text, and the breaker that opens', async () => {
    const summarize = () => Promise.reject(new Error('no'));
    const summarizer = { name: 'mute', endpoint: 'here', summarize };
    const settings = { roster: ['auto'], minGain: 0, thresholds: { circuitBreakerFailures: 1 } };
    const service = await started(9_000, settings as never, { summarizer });
    await service.post('/sessions', { id: 'mill' });
    const messages = [user('Build the mill.'), ...talk(14, 600), user('And the roof?')];
    expect((await service.post('/sessions/mill/prepare', { request: { messages } })).status).toBe(200);
    await service.post('/sessions/mill/compact', { lower_threshold: 0.3 });
    const place = { level: 40, session: 'mill', agent: 'primary' };
    const outcome = { endpoint: 'here', outcome: 'failed' };
    expect(said(service, 'model-call')[0]).toMatchObject({ ...place, ...outcome });
    expect(said(service, 'breaker')).toEqual([expect.objectContaining({ ...place, state: 'open' })]);
  });

  it('is logged: a hook of a plugin that throws', async () => {
    const preCompact = () => {
      throw new Error('no');
    };
    const plugin = definePlugin({ name: 'loud', observer: { preCompact } });
    const service = await started(4_000, {}, { plugins: [plugin] });
    await service.post('/sessions', { id: 'mill' });
    const messages = [user('Build the mill.'), ...talk(6, 300), user('And the roof?')];
    expect((await service.post('/sessions/mill/prepare', { request: { messages } })).status).toBe(200);
    await service.post('/sessions/mill/compact', { lower_threshold: 0.3 });
    const line = { level: 40, plugin: 'loud', hook: 'pre_compact', outcome: 'threw' };
    expect(said(service, 'plugin-hook')[0]).toMatchObject(line);
  });
});

describe('what an upstream refuses', () => {
  it('is logged with its session and counted each time, and so is the retry', async () => {
    const { service, emulator } = await proxied();
    emulator.script = ['context-length', { text: 'Built.' }];
    const history = [user('Build the mill.'), ...talk(6, 300), user('And the roof?')];
    expect((await chat(service, history, 'mill')).status).toBe(200);
    const place = { session: 'mill', agent: 'primary', model: 'm' };
    expect(said(service, 'refused')).toEqual([expect.objectContaining({ ...place, status: 400 })]);
    expect(said(service, 'retried')).toEqual([expect.objectContaining(place)]);
    const [line] = said(service, 'request');
    expect(line).toMatchObject({ ...place, status: 200, compacted: true, retries: 1 });
    expect(line!.upstreamMs).toBeLessThanOrEqual(line!.ms as number);
    const text = await service.metrics();
    expect(text).toContain('spillway_upstream_refusals_total{status="400"} 1');
    expect(text).toContain('spillway_retries_total 1');
    expect(text).toContain('spillway_upstream_seconds_count{status="200"} 1');
    expect(text).toContain('spillway_overhead_seconds_count{route="/v1/chat/completions"} 1');
    emulator.script = ['rate-limit'];
    await chat(service, [...history, ...talk(1, 10), user('On.')], 'mill');
    expect(said(service, 'refused')).toHaveLength(2);
  });

  it('is passed on, logged and counted if the retry fails within the service', async () => {
    const store = await openStore('memory:');
    const { service, emulator } = await proxied({}, { store });
    emulator.otherwise = () => {
      store.write = () =>
        Promise.reject(new SpillwayError('STORE_SCHEMA', { subject: 'store', remedy: 'No.' }));
      return 'context-length';
    };
    const answer = await chat(service, [user('Build the mill.'), ...talk(6, 300), user('On.')], 'mill');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('context_length_exceeded');
    const warned = said(service, 'warning').map(({ session, code }) => [session, code]);
    expect(warned).toContainEqual(['mill', 'failed-after-refusal']);
    expect(said(service, 'failed after a refusal')).toEqual([
      expect.objectContaining({ session: 'mill', agent: 'primary', model: 'm', status: 400 }),
    ]);
    expect(await service.metrics()).toContain('spillway_failed_after_refusal_total{code="STORE_SCHEMA"} 1');
  });
});

it('many long histories at once hold up neither a probe nor a short call, and are all answered', async () => {
  const { service, emulator } = await proxied({ window: 200_000 } as never);
  let ended = 0;
  let letGo: () => void = () => undefined;
  const short = new Promise<void>((resolve) => (letGo = resolve));
  emulator.otherwise = ({ text }) => (text.includes('Hello.') ? 'good' : short.then(() => 'good' as const));
  const long = Array.from({ length: 6 }, (_, i) =>
    chat(service, [user(`Build mill ${i}.`), ...talk(20, 2_000), user('On.')], `mill-${i}`).finally(
      () => void ended++,
    ),
  );
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  expect((await chat(service, [user('Hello.')], 'short')).status).toBe(200);
  expect(ended).toBe(0);
  letGo();
  expect((await Promise.all(long)).map(({ status }) => status)).toEqual(long.map(() => 200));
});

it('a service that stops reports it on /ready before it takes no more requests', async () => {
  const { service } = await proxied({ server: { drainMs: 400 } } as never);
  expect(await ready(service)).toEqual([200, 'ready']);
  const closing = service.close();
  expect((await ready(service))[0]).toBe(503);
  // Load balancers do not know yet: their requests are answered.
  expect((await chat(service, [user('Hello.')])).status).toBe(200);
  await closing;
  await expect(ready(service)).rejects.toThrow('fetch failed');
});

it('event streams are limited for each token, and do not keep others out', async () => {
  const server = { tokens: [...tokens], eventStreams: 2, concurrency: 2 };
  const service = await started(4_000, { server } as never, { env });
  const open: IncomingMessage[] = [];
  const follow = (token: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = { headers: bearer(token), agent: false };
      get(`${service.url}/api/v1/events`, options, (answer) => {
        open.push(answer);
        answer.once('error', () => undefined);
        resolve(answer.statusCode!);
      }).once('error', reject);
    });
  const head = { method: 'HEAD', headers: bearer(env.WALL) };
  for (let i = 0; i < 3; i++)
    expect((await fetch(`${service.url}/api/v1/events`, head)).headers.get('content-type')).toMatch('event');
  expect([await follow(env.WALL), await follow(env.WALL), await follow(env.WALL)]).toEqual([200, 200, 429]);
  expect([await follow(env.OPS), await follow(env.MILL)]).toEqual([200, 200]);
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  expect((await service.get('/sessions', undefined, bearer(env.WALL))).status).toBe(200);
  open[0]!.destroy();
  while ((await follow(env.WALL)) !== 200);
  for (const one of open) one.destroy();
});

it.each(['of a client that keeps one ready', 'behind an event stream that was left'])(
  'a connection without a request does not keep a service from stopping: %s',
  async (how) => {
    const service = await started(4_000);
    if (how.startsWith('behind')) {
      const gone = new AbortController();
      const answer = await fetch(`${service.url}/api/v1/events`, { signal: gone.signal });
      await answer.body!.getReader().read();
      gone.abort();
    }
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    await new Promise((resolve) => silent.once('connect', resolve));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    await service.close();
  },
);

it('a service that stops closes event streams at once, and other connections after their last answer', async () => {
  const { service, emulator } = await proxied();
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const isAsked = new Promise<void>((resolve) => {
    emulator.otherwise = () => {
      resolve();
      return held.then(() => 'good' as const);
    };
  });
  const { hostname, port } = new URL(service.url);
  // Follows events, and keeps its connection open, as a browser does.
  const page = connect(Number(port), hostname);
  const left = new Promise((resolve) => page.once('close', resolve));
  await new Promise((resolve) => {
    page.on('data', (piece) => String(piece).includes('following') && resolve(undefined));
    page.write('GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  });
  const asked = chat(service, [user('Build the mill.')]);
  await isAsked;
  const cutsAll = jest.spyOn(Server.prototype, 'closeAllConnections');
  const closing = service.close();
  await left;
  letGo();
  expect((await asked).status).toBe(200);
  await closing;
  expect(cutsAll).not.toHaveBeenCalled();
  cutsAll.mockRestore();
});

describe('a start that fails', () => {
  it('names the address that is taken', async () => {
    const { url } = await started(4_000);
    const port = Number(new URL(url).port);
    await expect(started(4_000, { server: { port } } as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`127.0.0.1:${port}, taken`),
    });
  });

  it.each(['localhost:1234', 'ftp://localhost/v1', 'nowhere'])(
    'refuses %s for an upstream',
    async (openai) => {
      await expect(started(4_000, { server: { upstreams: { openai } } } as never)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('http'),
      });
    },
  );
});

describe('an answer that does not arrive, or only in part', () => {
  const streamed = (service: Started, signal?: AbortSignal): Promise<Response> =>
    service.send(CHAT, { model: 'm', stream: true, messages: [user('Build the mill.')] }, {}, signal);
  it('because its client has gone: is logged as 499, and not as a fault of the upstream', async () => {
    const { service, emulator } = await proxied();
    emulator.otherwise = 'never';
    const gone = new AbortController();
    const answer = streamed(service, gone.signal);
    await arrived(emulator, 1);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(await logged(service)).toMatchObject({ status: 499, aborted: true });
    expect(said(service, 'no answer')).toEqual([]);
    expect(await service.metrics()).not.toMatch(/spillway_upstream_\w+\{.*none/);
  });

  it('because its client goes while the body is read: does not stop the next call of its session', async () => {
    const { service, emulator } = await proxied();
    // So long that it is read in slices. Between them the service notices that its client has gone.
    const body = JSON.stringify({ model: 'm', messages: [user('Build it.')], x: 'y'.repeat(30_000_000) });
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = `Host: localhost\r\nx-spillway-session: mill\r\nContent-Length: ${body.length}`;
    socket.end(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    expect(await logged(service)).toMatchObject({ status: 499, aborted: true });
    // As long, so that it asks for the session after the one before it did.
    expect((await service.send(CHAT, body, { 'x-spillway-session': 'mill' })).status).toBe(200);
    expect(emulator.received).toHaveLength(1);
  });

  it('because its client goes while it waits for its turn: leaves no message in the store', async () => {
    const { service, emulator } = await proxied();
    emulator.script = ['never'];
    const [first, second] = [new AbortController(), new AbortController()];
    const begun = [user('Build the mill.')];
    const answers = [chat(service, begun, 'mill', first.signal)];
    await arrived(emulator, 1);
    answers.push(chat(service, [...begun, ...talk(1, 10), user('Stop.')], 'mill', second.signal));
    // A call of another session, which is read after it: now it waits.
    expect((await chat(service, begun, 'weir')).status).toBe(200);
    for (const [at, gone] of [second, first].entries()) {
      gone.abort();
      await logged(service, 2 + at);
    }
    expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await chat(service, begun, 'mill')).status).toBe(200);
    const key = { sessionId: 'mill', agentPath: 'primary' };
    expect(await service.store.messages(key, 0)).toHaveLength(1);
    expect(said(service, 'no answer')).toEqual([]);
  });

  it('because the upstream breaks off: is logged and counted, and not as a client that has gone', async () => {
    const { service, emulator } = await proxied();
    emulator.otherwise = 'cut';
    const answer = await streamed(service);
    await expect(answer.text()).rejects.toThrow('terminated');
    const line = await logged(service);
    expect(line).toMatchObject({ status: 200 });
    expect(line).not.toHaveProperty('aborted');
    const upstream = new URL(emulator.url).host;
    expect(said(service, 'cut off')).toEqual([expect.objectContaining({ level: 40, model: 'm', upstream })]);
    expect(await service.metrics()).toContain('spillway_upstream_refusals_total{status="cut"} 1');
  });

  it('because the answer has an error within: is logged with the name of the error, and counted', async () => {
    const { service, emulator } = await proxied();
    emulator.otherwise = 'stream-error';
    await (await streamed(service)).text();
    const upstream = new URL(emulator.url).host;
    expect(said(service, 'failed within')).toEqual([
      expect.objectContaining({ level: 40, model: 'm', upstream, error: expect.any(String) }),
    ]);
    expect(await service.metrics()).toContain('spillway_upstream_refusals_total{status="error"} 1');
  });

  it('because there is no upstream: is logged with the address of the upstream', async () => {
    const upstreams = { openai: 'http://name:secret@127.0.0.1:1/v1' };
    const { service } = await proxied({ server: { upstreams } } as never);
    expect((await streamed(service)).status).toBe(502);
    expect(said(service, 'no answer')).toEqual([
      expect.objectContaining({ code: 'ECONNREFUSED', upstream: '127.0.0.1:1' }),
    ]);
    expect(service.lines.join('')).not.toContain('secret');
  });
});
