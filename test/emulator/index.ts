import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, jest } from '@jest/globals';
import { answerAs, type Wire } from './wire.js';

/** What the emulated model does with one call. */
export type Act =
  | 'good'
  | 'slow'
  | 'never'
  | 'rate-limit'
  | 'server-error'
  | 'wrong-key'
  | 'cut'
  | 'empty'
  | 'refusal'
  | 'error-text'
  | 'echo'
  | 'oversized'
  | 'length'
  | 'think'
  | 'open-think'
  | 'tool-call'
  | 'not-json'
  | 'context-length'
  | { readonly text: string };

/** One request as it came in. */
export interface Received {
  readonly act: Act;
  readonly body: Readonly<Record<string, unknown>>;
  /** All that was sent, as text. */
  readonly text: string;
  /** The client hung up before it was answered. */
  aborted: boolean;
}

export interface Emulator {
  /** Up to /v1. */
  readonly url: string;
  readonly received: Received[];
  /** What the next calls get, in order; when it runs out, `otherwise`. */
  script: Act[];
  otherwise: Act;
  slowMs: number;
  /** Most requests that were open at a time. */
  peak: number;
}

/** Deadlines and cooldowns are waited for, on machines that do other things too. */
jest.setTimeout(30_000);

const servers: Server[] = [];
const open = new WeakMap<Emulator, number>();
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** An OpenAI- and Anthropic-compatible model on loopback that does what the test says. Gone when the tests of the file are. */
export async function startEmulator(): Promise<Emulator> {
  const server = createServer((request, response) => void serve(emulator, request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  servers.push(server);
  const emulator: Emulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received: [],
    script: [],
    otherwise: 'good',
    slowMs: 50,
    peak: 0,
  };
  return emulator;
}

/** Resolves when so many requests have come in. */
export async function arrived(emulator: Emulator, count: number): Promise<void> {
  while (emulator.received.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function serve(emulator: Emulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const piece of request) text += String(piece);
  const act = emulator.script.shift() ?? emulator.otherwise;
  const body = JSON.parse(text) as Received['body'];
  const received: Received = { act, body, text, aborted: false };
  emulator.received.push(received);
  open.set(emulator, (open.get(emulator) ?? 0) + 1);
  emulator.peak = Math.max(emulator.peak, open.get(emulator)!);
  response.on('close', () => {
    received.aborted = !response.writableFinished;
    open.set(emulator, open.get(emulator)! - 1);
  });
  const wire: Wire = request.url?.includes('/messages') ? 'anthropic' : 'openai';

  if (act === 'never') return;
  if (act === 'slow') await new Promise((resolve) => setTimeout(resolve, emulator.slowMs));
  if (act === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"id":"x","choices":[{"mess');
    setTimeout(() => response.destroy(), 5);
    return;
  }
  const { status, payload } = answerAs(wire, act, text, String(body['model']));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof payload === 'string' ? payload : JSON.stringify(payload));
}
