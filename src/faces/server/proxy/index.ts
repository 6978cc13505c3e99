import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CHAT, MESSAGES, RESPONSES, type Endpoint } from '../../endpoints/index.js';
import { SpillwayError } from '../../../errors/index.js';
import type { Access } from '../access.js';
import { statusOf, faultMessage } from '../faults.js';
import type { Service } from '../service.js';
import { NoUsageUpstreams } from './usage-option.js';
import { bodyIn, isEncoded } from './body-limits.js';
import { faultAnswer, send } from './http-answer.js';
import { Passage, type Proxy, type ProxyNotes } from './passage.js';
import { countTokens, SessionFinder } from './session-finder.js';
import { passThrough } from './pass-through.js';

const config = { role: 'client' } as const;

/** The drop-in proxy: compacts the requests of unmodified clients on their way to the upstream. */
export function registerProxy(
  app: FastifyInstance,
  service: Service,
  access: Access,
  notes: ProxyNotes,
): void {
  const finder = new SessionFinder(service);
  const proxy: Proxy = { service, access, notes, finder, noUsage: new NoUsageUpstreams() };
  const openai = (path: string): string => joined(service.settings.server.upstreams.openai, path);
  const anthropic = (path: string): string =>
    joined(service.settings.server.upstreams.anthropic, `/v1${path}`);

  // Bodies stay buffers, so that unchanged ones are passed on byte for byte; the routes parse them if needed.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setErrorHandler((error: { statusCode?: number; code?: string; message: string }, request, reply) => {
    const status = error.statusCode ?? (error instanceof SpillwayError ? statusOf(error.code) : 502);
    // A disconnected client is not an error.
    if (status >= 500 && !reply.raw.destroyed)
      request.log.error({ code: error.code, ...request.notes.upstreamPlace }, 'no answer');
    const words = status < 500 ? faultMessage(error, request) : 'The upstream could not be asked.';
    return send(reply, faultAnswer(status, error.code ?? `HTTP_${status}`, words));
  });

  const through =
    (endpoint: Endpoint, urlOf: (path: string) => string, path: string) =>
    (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      new Passage(proxy, endpoint, urlOf(path) + queryOf(request), request, reply).pass();

  app.post('/v1/chat/completions', { config }, through(CHAT, openai, '/chat/completions'));
  app.post('/v1/responses', { config }, through(RESPONSES, openai, '/responses'));
  app.post('/v1/messages', { config }, through(MESSAGES, anthropic, '/messages'));
  app.post('/v1/messages/count_tokens', { config }, async (request, reply) => {
    const url = anthropic('/messages/count_tokens') + queryOf(request);
    const { caller, headers } = request;
    const isRead = Buffer.isBuffer(request.body) && !isEncoded(headers, request.body);
    const body = isRead ? await bodyIn(request.body) : undefined;
    const messages = body?.messages;
    const counted =
      body && Array.isArray(messages)
        ? await countTokens(finder, { caller, format: 'anthropic', headers, body, messages }).catch(
            () => undefined,
          )
        : undefined;
    return passThrough(access, request, reply, url, { changed: counted });
  });
  app.all('/v1/*', { config }, (request, reply) => {
    const path = plainPath(request.url);
    if (path === undefined) return send(reply, faultAnswer(400, 'INPUT_FORMAT', 'That is no plain path.'));
    const isAnthropic = request.headers['anthropic-version'] !== undefined;
    const url = (isAnthropic ? anthropic : openai)(path.slice('/v1'.length)) + queryOf(request);
    return passThrough(access, request, reply, url);
  });
}

const joined = (base: string, path: string): string => base.replace(/\/$/, '') + path;

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** `.` or `..` as a folder; a dot, slash, percent sign, backslash or control character as a code; a broken code. */
const HIDDEN = /\/\.{1,2}(?:\/|$)|%(?:2[5ef]|5c|7f|[01][\da-f])|%(?![\da-f]{2})/i;

/** Undefined if a path may lead to another place than it seems: `..`, encoded slashes, a backslash. */
function plainPath(url: string): string | undefined {
  const [path] = url.split('?') as [string];
  return /^(?:\/[\w.~:@!$&'()*+,;=%-]+)+$/.test(path) && !HIDDEN.test(path) ? path : undefined;
}
