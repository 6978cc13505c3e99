import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf, failureOf, POISON, type Act, type Failure } from './acts.js';
import type { AnswerRequest, EmulatedWire, StreamEvent } from './wire.js';
import { WIRES } from './wires.js';

/** One request as received. */
export interface Received {
  readonly act: Act;
  /** e.g. `/v1/chat/completions` */
  readonly path: string;
  readonly wire: EmulatedWire['name'];
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** The whole body as text. */
  readonly text: string;
  /** The client hung up before it was answered. */
  aborted: boolean;
}

/** A promise holds the answer back until it resolves. */
export type Decide = (request: Pick<Received, 'path' | 'wire' | 'body' | 'text'>) => Act | Promise<Act>;

export interface Emulator {
  /** The address with /v1, for OpenAI's clients and the AI SDK. */
  readonly url: string;
  /** The address without /v1, for Anthropic's own client. */
  readonly origin: string;
  readonly received: Received[];
  /** The acts of the next calls, in order; after them `otherwise` applies. */
  script: Act[];
  otherwise: Act | Decide;
  slowMs: number;
  /** The most characters of a request's body; a longer one is refused as `context-length`. */
  windowChars: number;
  /** The most requests that were open at the same time. */
  peak: number;
  close(): void;
}

/** A model on loopback that speaks OpenAI chat, OpenAI responses and Anthropic messages, and follows its script. */
export async function serveEmulator(): Promise<Emulator> {
  let open = 0;
  const server = createServer((request, response) => {
    emulator.peak = Math.max(emulator.peak, ++open);
    response.on('close', () => void open--);
    // A client that hangs up while it sends is not an error of the server.
    serve(emulator, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const emulator: Emulator = {
    url: `${origin}/v1`,
    origin,
    received: [],
    script: [],
    otherwise: 'good',
    slowMs: 50,
    windowChars: Infinity,
    peak: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return emulator;
}

async function serve(emulator: Emulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0]!;
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) text += String(piece);
  if (request.method !== 'POST')
    return json(response, 200, { object: 'list', data: [{ id: 'emulated', object: 'model' }] });
  if (path.endsWith('/count_tokens'))
    return json(response, 200, { input_tokens: Math.ceil(text.length / 4) });
  const wire = WIRES.find((candidate) => path.endsWith(candidate.path));
  if (!wire) return json(response, 404, { error: { message: `no such path: ${path}`, type: 'not_found' } });

  const seen = { path, wire: wire.name, body: bodyOf(text), text };
  const { otherwise } = emulator;
  const told =
    emulator.script.shift() ?? (await (typeof otherwise === 'function' ? otherwise(seen) : otherwise));
  const act = text.length > emulator.windowChars ? 'context-length' : told;
  const received: Received = { act, headers: request.headers, ...seen, aborted: false };
  emulator.received.push(received);
  response.on('close', () => void (received.aborted = !response.writableFinished));
  await perform(emulator, wire, received, response);
}

async function perform(
  { slowMs }: Emulator,
  wire: EmulatedWire,
  { act, body, text }: Received,
  response: ServerResponse,
): Promise<void> {
  if (act === 'never') return;
  if (act === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
  if (typeof act === 'object' && 'status' in act) return json(response, act.status, act.body);
  if (act === 'not-json') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${POISON}</html>`);
    return;
  }
  const streams = body['stream'] === true;
  const failure = act === 'stream-error' && !streams ? BROKEN : failureOf(act);
  if (failure) return json(response, failure.status, wire.failure(poisoned(failure)));
  const answer = answerOf(act, text);
  const answered: AnswerRequest = { answer, model: String(body['model'] ?? 'emulated'), body };
  if (streams) return stream(wire, act, wire.events(answered), response);
  const whole = JSON.stringify(wire.whole(answered));
  if (act !== 'cut' && act !== 'stall') return json(response, 200, whole);
  const length = Buffer.byteLength(whole);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.write(whole.slice(0, whole.length / 2));
  if (act === 'cut') hangUp(response);
}

function stream(
  wire: EmulatedWire,
  act: Act,
  events: readonly StreamEvent[],
  response: ServerResponse,
): void {
  const half = act === 'cut' || act === 'stall' || act === 'stream-error';
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const off =
    typeof act === 'object' && 'breaksOff' in act && act.breaksOff ? events.length - 3 : events.length;
  for (const event of events.slice(0, half ? Math.ceil(events.length / 2) : off))
    response.write(written(event));
  if (act === 'stream-error') response.write(written(wire.broken(poisoned(BROKEN))));
  if (act === 'cut') hangUp(response);
  else if (act !== 'stall') response.end();
}

function written({ name, payload }: StreamEvent): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** Waits a moment, so that the output written so far is sent. */
const hangUp = (response: ServerResponse): void => void setTimeout(() => response.destroy(), 5);

const BROKEN: Failure = { status: 500, kind: 'server', message: 'The server had an error' };

const poisoned = (failure: Failure): Failure => ({ ...failure, message: `${failure.message} ${POISON}` });

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Validates nothing: a body that is not JSON is kept as text only. */
function bodyOf(text: string): Received['body'] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Received['body']) : {};
  } catch {
    return {};
  }
}
