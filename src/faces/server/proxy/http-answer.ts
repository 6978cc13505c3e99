import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { jsonText, type Fields } from '../../../formats/index.js';
import { eventText } from '../../endpoints/index.js';

/** An HTTP answer to a client. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

/** Content types that a browser never runs. A browser saves content of all other types as a file. */
const INERT = /^(?:application\/(?:json|octet-stream)|text\/event-stream|audio\/|video\/|image\/(?!svg))/i;

/**
 * Sends an upstream's answer, which browsers see at our address, so that nothing in it can run there: its headers
 * neither replace ours nor set CORS rules, and a page in it is confined to a sandbox.
 */
export function send(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  const passed = Object.entries(headers).filter(
    ([name]) => !reply.hasHeader(name) && !name.startsWith('access-control-'),
  );
  void reply.code(status).headers(Object.fromEntries(passed) as Record<string, string>);
  void reply.header('content-security-policy', "default-src 'none'; sandbox");
  if (!INERT.test(String(headers['content-type'] ?? 'application/json')))
    void reply.header('content-disposition', 'attachment');
  return reply.send(Buffer.isBuffer(body) ? body : Readable.from(body, { objectMode: false }));
}

export const jsonAnswer = (value: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(jsonText(value)),
});

export function streamAnswer(events: readonly Fields[], done = ''): HttpAnswer {
  const text = events.map(eventText).join('') + done;
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: Buffer.from(text) };
}

/** Encoded, because an id may have characters that a header may not. */
export const sessionHeader = (id: string) => ({ 'x-spillway-session': encodeURIComponent(id) });

/** A fault in the formats of both providers: each provider's clients read one half of it. */
export function faultAnswer(status: number, code: string, message: string): HttpAnswer {
  const given = jsonAnswer(
    { type: 'error', error: { type: 'spillway_error', code, message, param: null } },
    status,
  );
  const headers = { ...given.headers, 'x-should-retry': String(status === 429 || status >= 500) };
  return { ...given, headers };
}
