import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CHAT, MESSAGES, RESPONSES, type Endpoint } from '../../endpoints/index.js';
import { SpillwayError } from '../../errors/index.js';
import { parseJson } from '../../transcript/index.js';
import { isFields, type Fields } from '../../wire/index.js';
import type { Access } from '../access.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { countTokens } from './count-tokens.js';
import { faultAnswer, give, type HttpAnswer } from './http-answer.js';
import { Places } from './place.js';
import { Refused } from './refused.js';
import { Turn } from './turn.js';
import { ask } from './upstream.js';

/** What the proxy tells of itself, for metrics. */
interface ProxyNotes {
  /** A request went on without compaction, since that failed. */
  passedBy(code: string): void;
}

const config = { role: 'client' } as const;
/** What a client calls its session, where it says so. */
const SESSION_HEADER = 'x-spillway-session';
const SESSION_NAME = /^[\w.-]{1,128}$/;

/** The drop-in proxy: requests of unmodified clients, compacted on their way to the upstream. */
export function registerProxy(
  app: FastifyInstance,
  service: Service,
  access: Access,
  notes: ProxyNotes,
): void {
  const places = new Places(service);
  const plain = new Set<string>();
  const openai = (path: string): string => joined(service.settings.server.upstreams.openai, path);
  const anthropic = (path: string): string =>
    joined(service.settings.server.upstreams.anthropic, `/v1${path}`);

  // Bodies are handed on as they came where nothing is to be done, and read here where something is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setErrorHandler((error: { statusCode?: number; code?: string; message: string }, request, reply) => {
    const status = error.statusCode ?? (error instanceof SpillwayError ? 400 : 502);
    if (status >= 500) request.log.error({ code: error.code }, 'no answer');
    const words = status < 500 ? error.message : 'The upstream could not be asked.';
    return give(reply, faultAnswer(status, error.code ?? `HTTP_${status}`, words));
  });

  const straight = async (
    request: FastifyRequest,
    reply: FastifyReply,
    url: string,
    signal = goneOf(reply),
  ): Promise<FastifyReply> => {
    const { status, headers, body } = await ask({
      method: request.method,
      url,
      headers: request.headers,
      withheld: withheldOf(request),
      ...(Buffer.isBuffer(request.body) && { body: request.body }),
      signal,
    });
    return give(reply, { status, headers, body });
  };

  /** A token of ours in `Authorization` is not for the upstream. */
  const withheldOf = ({ headers }: FastifyRequest): ReadonlySet<string> => {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return new Set(!access.isOpen && access.callerOf(bearer) ? ['authorization'] : []);
  };

  const through =
    (endpoint: Endpoint, urlOf: (path: string) => string, path: string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const raw = Buffer.isBuffer(request.body) ? request.body : undefined;
      const body = bodyIn(raw);
      if (!raw || !body) return give(reply, faultAnswer(400, 'INPUT_FORMAT', 'The body is no JSON object.'));
      const url = urlOf(path) + queryOf(request);
      const input = body[endpoint.field];
      const isKept = body.previous_response_id || body.conversation || isFields(body.thread);
      if (isKept || !(Array.isArray(input) || typeof input === 'string'))
        return straight(request, reply, url);
      const named = request.headers[SESSION_HEADER];
      if (named !== undefined && !SESSION_NAME.test(String(named)))
        return give(reply, faultAnswer(400, 'INPUT_FORMAT', `${SESSION_HEADER} is no name of a session.`));
      let turn: Turn | undefined;
      const signal = goneOf(reply);
      const { commands, recall } = service.settings.server;
      try {
        const session = await places.sessionOf({
          caller: request.caller,
          format: endpoint.format,
          model: typeof body.model === 'string' ? body.model : undefined,
          named: named === undefined ? undefined : String(named),
          messages: Array.isArray(input) ? input : [{ role: 'user', content: input }],
          raw,
        });
        const parts = {
          endpoint,
          url,
          headers: request.headers,
          withheld: withheldOf(request),
          raw,
          body,
          commands,
          recalls: recall,
          plain,
          signal,
          over: closed(reply),
        };
        const given = await session.turn((flight) => (turn = new Turn(parts, session, flight)).answer());
        return give(reply, given);
      } catch (error) {
        if (error instanceof Refused) return give(reply, asGiven(error));
        if (turn?.refused) return give(reply, asGiven(turn.refused));
        if (turn?.wasSent || reply.raw.destroyed) throw error;
        const code = error instanceof SpillwayError ? error.code : 'INTERNAL';
        // An operator wants to be asked first: sending it after all would not be that.
        if (code === 'COMPACTION_PENDING')
          return give(reply, faultAnswer(409, code, (error as Error).message));
        notes.passedBy(code);
        request.log.warn({ code, session: named === undefined ? undefined : 'named' }, 'passed by');
        return straight(request, reply, url, signal);
      }
    };

  app.post('/v1/chat/completions', { config }, through(CHAT, openai, '/chat/completions'));
  app.post('/v1/responses', { config }, through(RESPONSES, openai, '/responses'));
  app.post('/v1/messages', { config }, through(MESSAGES, anthropic, '/messages'));
  app.post('/v1/messages/count_tokens', { config }, async (request, reply) => {
    const url = anthropic('/messages/count_tokens') + queryOf(request);
    const counted = await countTokens(places, request, bodyIn(request.body));
    if (!counted) return straight(request, reply, url);
    const { headers } = request;
    const asked = {
      method: 'POST',
      url,
      headers,
      withheld: withheldOf(request),
      body: counted,
      signal: goneOf(reply),
    };
    return give(reply, await ask(asked));
  });
  app.all('/v1/*', { config }, (request, reply) => {
    const path = plainPath(request.url);
    if (path === undefined) return give(reply, faultAnswer(400, 'INPUT_FORMAT', 'That is no plain path.'));
    const isAnthropic = request.headers['anthropic-version'] !== undefined;
    return straight(
      request,
      reply,
      (isAnthropic ? anthropic : openai)(path.slice('/v1'.length)) + queryOf(request),
    );
  });
}

const asGiven = ({ status, headers, bytes }: Refused): HttpAnswer => {
  const { 'content-length': _, ...kept } = headers;
  return { status, headers: kept, body: bytes };
};

function bodyIn(raw: unknown): Fields | undefined {
  try {
    const body = Buffer.isBuffer(raw) ? parseJson(raw.toString('utf8')) : undefined;
    return isFields(body) && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

const joined = (base: string, path: string): string => base.replace(/\/$/, '') + path;

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** Undefined where a path means another place than it says: dots that climb, hidden slashes, a backslash. */
function plainPath(url: string): string | undefined {
  const [path] = url.split('?') as [string];
  return /^(?:\/[\w.~:@!$&'()*+,;=-]+)+$/.test(path) && !/\/\.{1,2}(?:\/|$)/.test(path) ? path : undefined;
}

const closed = ({ raw }: FastifyReply): Promise<unknown> =>
  new Promise((resolve) => raw.once('close', resolve));
