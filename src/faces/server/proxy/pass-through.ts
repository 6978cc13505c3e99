import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access.js';
import { disconnectSignal } from '../disconnect.js';
import { send } from './http-answer.js';
import { forward } from './upstream.js';

/** Passes a request on, unchanged or with another body, and passes its answer back unchanged. */
export async function passThrough(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  url: string,
  {
    signal = disconnectSignal(reply),
    changed,
  }: { readonly signal?: AbortSignal; readonly changed?: string | undefined } = {},
): Promise<FastifyReply> {
  const { status, headers, body } = await forward({
    method: request.method,
    url,
    headers: request.headers,
    withheld: withheldOf(access, request),
    body: changed ?? (Buffer.isBuffer(request.body) ? request.body : undefined),
    signal,
    notes: request.notes,
  });
  if (status >= 400) request.log.warn({ status, ...request.notes.upstreamPlace }, 'refused');
  return send(reply, { status, headers, body });
}

/** Headers with a token of this service, which must not reach the upstream. */
export function withheldOf(access: Access, { headers }: FastifyRequest): ReadonlySet<string> {
  const isOwn = (value: unknown): boolean =>
    access.callerOf(String(value).replace(/^Bearer +/i, '')) !== undefined;
  return new Set(access.isOpen ? [] : Object.keys(headers).filter((name) => isOwn(headers[name])));
}
