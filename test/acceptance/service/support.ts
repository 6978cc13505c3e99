import { openStore, type SessionStore } from '../../../src/index.js';
import { serve, type Running, type ServeOptions } from '../../../src/faces/server/index.js';
import { quarter } from '../support.js';

const running: Running[] = [];
afterAll(async () => {
  for (const one of running) await one.close();
});

type Settings = NonNullable<ServeOptions['settings']>;

export interface Started extends Running {
  readonly store: SessionStore;
  /** Every line that was logged. */
  readonly lines: string[];
  /** Each calls the HTTP API, and gives its answer and status. */
  readonly get: Asks;
  readonly post: Asks;
  readonly patch: Asks;
  readonly put: Asks;
  readonly delete: Asks;
  ask(method: string, ...args: Parameters<Asks>): ReturnType<Asks>;
  /** Posts what a client of a provider sends: a text as it is, everything else as JSON. */
  send(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
  metrics(): Promise<string>;
}

type Asks = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Said>;

export interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** A service on a free port, with four characters a token. It is closed after the tests of the file. */
export async function started(
  budget: number,
  settings: Settings = {},
  more: Omit<ServeOptions, 'settings'> = {},
): Promise<Started> {
  const lines: string[] = [];
  const store = typeof more.store === 'object' ? more.store : await openStore(more.store ?? 'memory:');
  const one = await serve({
    counter: quarter,
    log: { write: (line) => void lines.push(line) },
    ...more,
    store,
    settings: {
      safetyMargin: 0,
      window: budget,
      reserve: { output: 0 },
      ...settings,
      server: { port: 0, drainMs: 0, ...settings.server },
    } as Settings,
  });
  running.push(one);
  const ask: Started['ask'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${one.url}/api/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const by =
    (method: string): Asks =>
    (...args) =>
      ask(method, ...args);
  return {
    ...one,
    store,
    lines,
    ask,
    get: by('GET'),
    post: by('POST'),
    patch: by('PATCH'),
    put: by('PUT'),
    delete: by('DELETE'),
    send: (path, body, headers = {}, signal) =>
      fetch(one.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: signal ?? null,
      }),
    metrics: async () => (await fetch(`${one.url}/metrics`)).text(),
  };
}
