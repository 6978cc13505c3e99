import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CHAT, MESSAGES, RESPONSES, type Endpoint } from '../../endpoints/index.js';
import { SpillwayError } from '../../../errors/index.js';
import { inSlices } from '../../../session/index.js';
import { parsingJson } from '../../../transcript/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { SESSION_NAME, type Access } from '../access.js';
import { statusOf, wordsOf } from '../faults.js';
import { goneOf } from '../gone.js';
import { codesOf } from '../request-log.js';
import type { Service } from '../service.js';
import { PlainUpstreams } from './asked-usage.js';
import { checkLimits, isEncoded, withoutMark } from './body-limits.js';
import { faultAnswer, give, type HttpAnswer } from './http-answer.js';
import { countTokens, Places } from './place.js';
import { Refused } from './opening.js';
import { Turn } from './turn.js';
import { ask } from './upstream.js';

/** What the proxy tells of itself, for metrics. */
interface ProxyNotes {
  /** A request went on without compaction, since that failed. */
  passedBy(code: string): void;
  /** A request that was refused could not be sent again, since what was to make it smaller failed. */
  failedAfterRefusal(code: string): void;
}

const config = { role: 'client' } as const;
/** What a client calls its session, where it says so. */
const SESSION_HEADER = 'x-spillway-session';
const NO_NAME = `${SESSION_HEADER} is no name of a session: 1 to 128 letters, digits, _, - and dots, and more than one or two dots.`;

/** The drop-in proxy: requests of unmodified clients, compacted on their way to the upstream. */
export function registerProxy(
  app: FastifyInstance,
  service: Service,
  access: Access,
  notes: ProxyNotes,
): void {
  const places = new Places(service);
  const plain = new PlainUpstreams();
  const openai = (path: string): string => joined(service.settings.server.upstreams.openai, path);
  const anthropic = (path: string): string =>
    joined(service.settings.server.upstreams.anthropic, `/v1${path}`);

  // Bodies are handed on as they came where nothing is to be done, and read here where something is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setErrorHandler((error: { statusCode?: number; code?: string; message: string }, request, reply) => {
    const status = error.statusCode ?? (error instanceof SpillwayError ? statusOf(error.code) : 502);
    // A client that has gone is no fault of anybody's.
    if (status >= 500 && error.code !== 'ABORT_ERR')
      request.log.error({ code: error.code, ...request.notes.asked }, 'no answer');
    const words = status < 500 ? wordsOf(error, request) : 'The upstream could not be asked.';
    return give(reply, faultAnswer(status, error.code ?? `HTTP_${status}`, words));
  });

  const straight = async (
    request: FastifyRequest,
    reply: FastifyReply,
    url: string,
    signal = goneOf(reply),
    changed?: string,
  ): Promise<FastifyReply> => {
    const { status, headers, body } = await ask({
      method: request.method,
      url,
      headers: request.headers,
      withheld: withheldOf(request),
      body: changed ?? (Buffer.isBuffer(request.body) ? request.body : undefined),
      signal,
      notes: request.notes,
    });
    if (status >= 400) request.log.warn({ status, ...request.notes.asked }, 'refused');
    return give(reply, { status, headers, body });
  };

  /** A token of ours is not for the upstream, whichever header it stands in. */
  const withheldOf = ({ headers }: FastifyRequest): ReadonlySet<string> => {
    const isOwn = (value: unknown): boolean =>
      access.callerOf(String(value).replace(/^Bearer +/i, '')) !== undefined;
    return new Set(access.isOpen ? [] : Object.keys(headers).filter((name) => isOwn(headers[name])));
  };

  const through =
    (endpoint: Endpoint, urlOf: (path: string) => string, path: string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const raw = Buffer.isBuffer(request.body) ? request.body : undefined;
      const url = urlOf(path) + queryOf(request);
      if (raw && isEncoded(request.headers, raw)) {
        notes.passedBy('INPUT_FORMAT');
        request.log.warn({ code: 'INPUT_FORMAT', found: 'an encoded body' }, 'passed by');
        return straight(request, reply, url);
      }
      const body = await bodyIn(raw);
      if (!raw || !body) return give(reply, faultAnswer(400, 'INPUT_FORMAT', 'The body is no JSON object.'));
      const told = request.notes;
      if (typeof body.model === 'string') told.model = body.model;
      const input = body[endpoint.field];
      const isKept = body.previous_response_id || body.conversation || isFields(body.thread);
      if (isKept || !(Array.isArray(input) || typeof input === 'string'))
        return straight(request, reply, url);
      const named = request.headers[SESSION_HEADER];
      if (named !== undefined && !SESSION_NAME.test(String(named)))
        return give(reply, faultAnswer(400, 'INPUT_FORMAT', NO_NAME));
      let turn: Turn | undefined;
      const signal = goneOf(reply);
      const { commands, recall } = service.settings.server;
      const without = new Set<string>();
      const asked = {
        caller: request.caller,
        format: endpoint.format,
        headers: request.headers,
        named: named === undefined ? undefined : String(named),
        body,
        messages: Array.isArray(input) ? input : [{ role: 'user', content: input }],
        without,
      };
      try {
        const parts = {
          endpoint,
          url,
          headers: request.headers,
          withheld: withheldOf(request),
          raw,
          body,
          commands,
          forks: named === undefined,
          recalls: recall,
          caller: request.caller,
          plain,
          signal,
          over: closed(reply),
          notes: told,
          log: request.log,
        };
        for (;;) {
          const session = await places.sessionOf(asked);
          told.of(session);
          const given = await session.turn((flight) => (turn = new Turn(parts, session, flight)).answer());
          if (given) return await give(reply, given);
          // The turn before this one went another way.
          without.add(session.id);
        }
      } catch (error) {
        if (error instanceof Refused) return give(reply, asGiven(error));
        const { code } = codesOf(error);
        if (turn?.refused && !reply.raw.destroyed) {
          notes.failedAfterRefusal(code);
          const { status } = turn.refused;
          request.log.error({ ...codesOf(error), status, ...told.place }, 'failed after a refusal');
          return give(reply, asGiven(turn.refused));
        }
        if (turn?.wasSent || reply.raw.destroyed) throw error;
        // An operator wants to be asked first: sending it after all would not be that.
        if (code === 'COMPACTION_PENDING') {
          const words = `${(error as Error).message} The session is ${told.session}.`;
          return give(reply, faultAnswer(409, code, words, told.session));
        }
        notes.passedBy(code);
        request.log.warn({ ...codesOf(error), ...told.place }, 'passed by');
        return straight(request, reply, url, signal);
      }
    };

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
        ? await countTokens(places, { caller, format: 'anthropic', headers, body, messages }).catch(
            () => undefined,
          )
        : undefined;
    return straight(request, reply, url, undefined, counted);
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

/** Undefined where it is no JSON object. Rejects with `INPUT_FORMAT` where it holds too much. */
async function bodyIn(raw: unknown): Promise<Fields | undefined> {
  if (!Buffer.isBuffer(raw)) return undefined;
  await inSlices(checkLimits(raw));
  try {
    const body = await inSlices(parsingJson(withoutMark(raw).toString('utf8')));
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

/** Dots that climb; as codes a dot, a slash, a percent sign, a backslash and what is no character; a percent sign with no code. */
const HIDDEN = /\/\.{1,2}(?:\/|$)|%(?:2[5ef]|5c|7f|[01][\da-f])|%(?![\da-f]{2})/i;

/** Undefined where a path means another place than it says: dots that climb, hidden slashes, a backslash. */
function plainPath(url: string): string | undefined {
  const [path] = url.split('?') as [string];
  return /^(?:\/[\w.~:@!$&'()*+,;=%-]+)+$/.test(path) && !HIDDEN.test(path) ? path : undefined;
}

const closed = ({ raw }: FastifyReply): Promise<unknown> =>
  new Promise((resolve) => raw.once('close', resolve));
