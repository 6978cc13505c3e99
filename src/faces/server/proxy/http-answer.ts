import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { jsonText, type Fields } from '../../../formats/index.js';
import { written } from './sse.js';

/** What a client is answered with. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

/** Kinds of content that a browser runs nothing of. All else it is to keep as a file. */
const INERT = /^(?:application\/(?:json|octet-stream)|text\/event-stream|audio\/|video\/|image\/(?!svg))/i;

/**
 * What an upstream sends stands under our address, and is nothing that may run there: of its headers none takes the place
 * of ours or speaks of origins, and no page of its own gets further than into a sandbox.
 */
export function give(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  const passed = Object.entries(headers).filter(
    ([name]) => !reply.hasHeader(name) && !name.startsWith('access-control-'),
  );
  void reply.code(status).headers(Object.fromEntries(passed) as Record<string, string>);
  void reply.header('content-security-policy', "default-src 'none'; sandbox");
  if (!INERT.test(String(headers['content-type'] ?? 'application/json')))
    void reply.header('content-disposition', 'attachment');
  return reply.send(Buffer.isBuffer(body) ? body : Readable.from(body, { objectMode: false }));
}

export const jsonAnswer = (said: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(jsonText(said)),
});

export function streamAnswer(events: readonly Fields[], done = ''): HttpAnswer {
  const text = events.map(written).join('') + done;
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: Buffer.from(text) };
}

/** Ids may hold what no header may. */
export const sessionHeader = (id: string) => ({ 'x-spillway-session': encodeURIComponent(id) });

/** A fault in the words of either provider: their clients read one half of it each. */
export function faultAnswer(status: number, code: string, message: string): HttpAnswer {
  const given = jsonAnswer(
    { type: 'error', error: { type: 'spillway_error', code, message, param: null } },
    status,
  );
  const headers = { ...given.headers, 'x-should-retry': String(status === 429 || status >= 500) };
  return { ...given, headers };
}
