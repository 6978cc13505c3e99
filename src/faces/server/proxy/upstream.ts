import {
  request as httpRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https';
import { TOKEN_HEADER } from '../guard.js';
import type { RequestNotes, UpstreamCall } from '../request-log.js';

/** The head of an upstream's answer, and the body as a stream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: IncomingMessage;
}

/** Connection pools, so that connections are reused. */
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: true }),
  'https:': new HttpsAgent({ keepAlive: true }),
} as const;

/** Headers of a single connection, or of a body that is written again here. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
  'expect',
]);

export interface UpstreamRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's headers that are for this service and are not passed on. */
  readonly withheld?: ReadonlySet<string>;
  readonly body?: string | Buffer | undefined;
  readonly signal: AbortSignal;
  /** Receives the times of the request. */
  readonly notes: RequestNotes;
}

/**
 * Errors on a reused connection that the upstream has closed meanwhile: the upstream kept it a little shorter than we
 * did, and has read nothing of the request. Under load, one call in ten met one.
 */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/** Sends a request on, with the client's own key. Rejects if there is no answer. */
export function forward(request: UpstreamRequest, retry?: UpstreamCall): Promise<UpstreamAnswer> {
  const { method, url, headers, withheld, body, signal, notes } = request;
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  const sent = {
    ...forwardedHeaders(headers, withheld),
    'accept-encoding': 'identity', // bytes are read here too
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const agent = retry ? false : AGENTS[isSecure ? 'https:' : 'http:'];
  const call = retry ?? notes.startUpstream(target.host);
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? httpsRequest : httpRequest)(
      target,
      { method, headers: sent, agent, signal },
      (answer) => {
        call.headAt = performance.now();
        call.status = answer.statusCode ?? 502;
        answer.once('close', () => {
          call.endedAt = performance.now();
          call.isCut = !answer.complete && !signal.aborted;
        });
        if (call.status < 200 || call.status > 599) {
          answer.destroy();
          return reject(new Error('the upstream answered with a status that there is none of'));
        }
        resolve({ status: call.status, headers: forwardedHeaders(answer.headers), body: answer });
      },
    );
    // No request asks for another protocol, and the bytes after an upgrade are no HTTP.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the upstream answered with another protocol'));
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      const isUnread = outgoing.reusedSocket && call.headAt === undefined;
      if (isUnread && !retry && CLOSED.has(error.code) && !signal.aborted)
        return resolve(forward(request, call));
      call.endedAt ??= performance.now();
      reject(error);
    });
    outgoing.end(body);
  });
}

function forwardedHeaders(
  headers: IncomingHttpHeaders,
  withheld?: ReadonlySet<string>,
): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/[\s,]+/),
  );
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || CONNECTION_HEADERS.has(name) || named.has(name)) continue;
    if (name.startsWith('x-spillway-') || name === TOKEN_HEADER || withheld?.has(name)) continue;
    passed[name] = value;
  }
  return passed;
}

/** Reads a body to its end. */
export async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
