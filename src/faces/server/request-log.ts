import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SpillwayError } from '../../errors/index.js';
import type { EngineEvent, Session } from '../../session/index.js';
import type { Service } from './service.js';

/** One request to an upstream; times in milliseconds of `performance.now()`. */
export interface UpstreamCall {
  readonly from: number;
  /** Which one; without what an address may hold of keys. */
  readonly host: string;
  /** When its answer began, and with which status; absent where nobody answered. */
  head?: number;
  status?: number;
  /** When its answer ended, or it was known that none comes; absent where the client went first. */
  to?: number;
  /** It ended in the middle, and not because the client went. */
  isCut?: boolean;
  /** A part of it says that it failed. */
  isFailed?: boolean;
}

/** Of a model's name so much is logged: it is whatever a client writes there, megabytes too. */
const MOST_NAME_CHARS = 200;

/** What is known of one request beside its route: names and figures, no words. */
export class RequestNotes {
  readonly from = performance.now();
  readonly upstream: UpstreamCall[] = [];
  session: string | undefined;
  agent: string | undefined;
  model: string | undefined;
  /** A compaction ran for it. */
  isCompacted = false;
  /** Times that it was compacted and sent again. */
  retries = 0;

  of({ id, agentPath }: Session): void {
    this.session = id;
    this.agent = agentPath;
  }

  asks(host: string): UpstreamCall {
    const call: UpstreamCall = { from: performance.now(), host };
    this.upstream.push(call);
    return call;
  }

  get ms(): number {
    return performance.now() - this.from;
  }

  /** Time in which an upstream had it. */
  get upstreamMs(): number {
    const now = performance.now();
    return this.upstream.reduce((sum, { from, to = now }) => sum + to - from, 0);
  }

  /** An upstream broke its answer off. */
  get isCut(): boolean {
    return this.upstream.some(({ isCut }) => isCut);
  }

  /** What an upstream answers says that it failed. */
  failsWithin(): void {
    this.upstream.at(-1)!.isFailed = true;
  }

  /** Where it belongs. */
  get place(): object {
    const { session, agent, model } = this;
    return { session, agent, model: model?.slice(0, MOST_NAME_CHARS) };
  }

  /** The same of what an upstream did with it. */
  get asked(): object {
    return { ...this.place, upstream: this.upstream.at(-1)?.host };
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    notes: RequestNotes;
  }
}

/** Hears of each request when its answer has ended, or its client has gone. */
export type HearRequest = (request: FastifyRequest, status: number) => void;

/** One line a request: no address of its own, which may hold anybody's words, no headers and no bodies. */
export function logRequests(app: FastifyInstance, hear: HearRequest): void {
  app.decorateRequest('notes', undefined as unknown as RequestNotes);
  app.addHook('onRequest', (request, reply, done) => {
    const notes = new RequestNotes();
    request.notes = notes;
    reply.raw.once('close', () => {
      const { method, routeOptions, caller } = request;
      // 499 is what others log where a client has gone before it was answered.
      const status = reply.raw.headersSent ? reply.statusCode : 499;
      if (notes.isCut) request.log.warn(notes.asked, 'cut off');
      request.log.info(
        {
          method,
          route: routeOptions.url ?? 'none',
          status,
          ms: Math.round(notes.ms),
          caller: caller?.name,
          ...notes.place,
          ...(notes.isCompacted && { compacted: true }),
          ...(notes.retries > 0 && { retries: notes.retries }),
          ...(notes.upstream.length > 0 && { upstreamMs: Math.round(notes.upstreamMs) }),
          ...(!reply.raw.writableFinished && !notes.isCut && { aborted: true }),
        },
        'request',
      );
      hear(request, status);
    });
    done();
  });
}

/** What an operator has to know of what happens in sessions, one line each. */
export function logEvents(app: FastifyInstance, service: Service): void {
  /** By session: how and when its store failed in its newest call. It is asked several times in each, and fails alike. */
  const failed = new Map<string, FaultCodes & { readonly at: number }>();
  const nameOf = (session: string | undefined, agent: string | undefined): string => `${session} ${agent}`;
  app.addHook('onRequest', ({ notes }, reply, done) => {
    // Not onResponse: a client that goes away ends no response.
    reply.raw.once('close', () => failed.delete(nameOf(notes.session, notes.agent)));
    done();
  });
  // Who is answered from memory is told so: a restart would lose what this call made.
  app.addHook('onSend', ({ notes: { session, agent, from } }, reply, _, done) => {
    const how = session === undefined ? undefined : failed.get(nameOf(session, agent));
    // Not that of a call whose client was gone before its store failed.
    if (how && how.at >= from) void reply.header('x-spillway-degraded', how.code);
    done();
  });
  service.listen((event) => {
    const facts = factsOf(event);
    if (!facts) return;
    const { kind, sessionId: session, agentPath: agent } = event;
    const model = event.model?.slice(0, MOST_NAME_CHARS);
    if (event.kind === 'store-failed') {
      const [name, how] = [nameOf(session, agent), codesOf(event.error)];
      const before = failed.get(name);
      if (before?.code === how.code && before.cause === how.cause) return;
      failed.set(name, { ...how, at: performance.now() });
    }
    app.log.warn({ event: kind, session, agent, model, ...facts }, kind);
  });
}

/** Codes and figures alone: a message may quote what was said. */
function factsOf(event: EngineEvent): object | undefined {
  switch (event.kind) {
    case 'store-failed':
      return codesOf(event.error);
    case 'failed':
      return { ...codesOf(event.error), ...figuresOf(event.error) };
    case 'warning':
      return { code: event.code };
    case 'limit-learned':
      return { limits: event.limits, budget: event.budget };
    case 'model-call': {
      const { endpoint, outcome, reason } = event.call;
      return outcome === 'filled' || outcome === 'cancelled' ? undefined : { endpoint, outcome, reason };
    }
    case 'breaker':
      return { stage: event.stage, state: event.state };
    case 'plugin-hook': {
      const { plugin, hook, outcome } = event;
      return outcome === 'done' ? undefined : { plugin, hook, outcome };
    }
    default:
      return undefined;
  }
}

/** What the request takes, what of it may never be removed, and what it had to fit: figures alone. */
const figuresOf = (error: unknown): object =>
  error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE' ? error.facts : {};

/** The code of a fault, and what the system or the server called its cause. */
export interface FaultCodes {
  readonly code: string;
  readonly cause?: string | number;
}

/** Of anything that was thrown. */
export function codesOf(error: unknown): FaultCodes {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const why = cause?.code;
  return {
    code: typeof code === 'string' ? code : 'INTERNAL',
    ...((typeof why === 'string' || typeof why === 'number') && { cause: why }),
  };
}
