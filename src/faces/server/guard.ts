import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/index.js';
import { isLoopback, mayAct, type Access, type Caller, type Role } from './access.js';
import { denied, faultBody } from './faults.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the request. A route with a role admits no others. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Least role that may use the route. Absent: open to everyone. */
    role?: Role;
    /** True if `server.concurrency` does not count the route: it answers even under load, and has another limit. */
    isUncounted?: boolean;
  }
}

type ServerSettings = Settings['server'];

/** Header for the service's own token, because a proxy client's `Authorization` is for the upstream. */
export const TOKEN_HEADER = 'x-spillway-token';

const NOBODY: Caller = { name: 'nobody', role: 'client', tenant: '' };

/** Uses a monotonic timer: if the system clock were set back, refused callers would be locked out until then. */
class CountsOfMinute {
  #counts = new Map<string, number>();
  #endsAt = 0;

  incr(who: string, done: (error: null, said: { current: number; ttl: number }) => void, ms = 60_000): void {
    const now = performance.now();
    if (now >= this.#endsAt) [this.#counts, this.#endsAt] = [new Map(), now + ms];
    const current = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, current);
    done(null, { current, ttl: this.#endsAt - now });
  }

  child = (): this => this;
}

/** Limits who may call, from which origin, how often, and how many requests at a time. */
export async function guard(app: FastifyInstance, access: Access, settings: ServerSettings): Promise<void> {
  const callerOf = (request: FastifyRequest): Caller | undefined => access.callerOf(tokenOf(request));
  app.decorateRequest('caller', undefined as unknown as Caller);
  limitConcurrency(app, settings.concurrency);
  await app.register(helmet, { contentSecurityPolicy: { directives: POLICY } });
  await app.register(cors, { origin: [...settings.origins], credentials: false, maxAge: 600 });
  if (settings.requestsPerMinute > 0)
    await app.register(rateLimit, {
      max: settings.requestsPerMinute,
      timeWindow: 60_000,
      store: CountsOfMinute,
      keyGenerator: (request) => {
        const caller = access.isOpen ? undefined : callerOf(request);
        return caller ? `token ${caller.name}` : request.ip;
      },
      errorResponseBuilder: (_, { statusCode }) =>
        Object.assign(new Error('Too many requests within a minute: server.requestsPerMinute.'), {
          statusCode,
        }),
    });
  app.addHook('onRequest', async (request) => {
    const { role } = request.routeOptions.config;
    request.caller = NOBODY;
    // A page of another site must not reach this machine by a host name of its own (DNS rebinding).
    if (access.isOpen && !isLoopback(request.hostname.replace(/^\[|\]$/g, '')))
      throw denied('host of the request', request.hostname, 'Ask by a loopback name, or set tokens.');
    if (!SAFE.has(request.method) && !isOwnOrigin(request, settings.origins))
      throw denied('origin of the request', String(request.headers.origin), 'Add it to server.origins.');
    if (role === undefined) return;
    const caller = callerOf(request);
    if (!caller)
      throw Object.assign(new Error(`A token is needed, as a bearer or in ${TOKEN_HEADER}.`), {
        statusCode: 401,
      });
    if (!mayAct(caller, role))
      throw denied(`token ${caller.name}`, caller.role, `This needs the role ${role}.`);
    request.caller = caller;
  });
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Scripts, styles and images may come only from this server, and no site may frame the page. */
const POLICY = {
  defaultSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  objectSrc: ["'none'"],
  frameAncestors: ["'none'"],
  upgradeInsecureRequests: null,
};

/** Browsers name a page's origin with every request that changes something. */
function isOwnOrigin({ headers }: FastifyRequest, origins: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return headers['sec-fetch-site'] !== 'cross-site';
  return origins.includes(origin) || origin === `http://${host}` || origin === `https://${host}`;
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  const own = headers[TOKEN_HEADER];
  if (typeof own === 'string') return own;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function limitConcurrency(app: FastifyInstance, maxRunning: number): void {
  let running = 0;
  app.addHook('onRequest', ({ routeOptions }, reply, done) => {
    if (routeOptions.config.isUncounted) return done();
    if (running >= maxRunning) {
      const body = faultBody('HTTP_503', 'Too many requests are under way: server.concurrency.', true);
      void reply.code(503).header('retry-after', '1').send(body);
      return;
    }
    running += 1;
    // Not onResponse: if the client disconnects, the response never ends.
    reply.raw.once('close', () => (running -= 1));
    done();
  });
}
