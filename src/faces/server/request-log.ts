import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SpillwayError } from '../../errors/index.js';
import type { EngineEvent, Session } from '../../session/index.js';
import type { Service } from './service.js';

/** One request to an upstream. Times are milliseconds of `performance.now()`. */
export interface UpstreamCall {
  readonly startedAt: number;
  /** Host of the upstream. The full address is not kept, because it may contain keys. */
  readonly host: string;
  /** Start and status of the answer; absent if there was no answer. */
  headAt?: number;
  status?: number;
  /** End of the answer, or of the wait for an answer that never came; absent if the client disconnected first. */
  endedAt?: number;
  /** True if the answer broke off although the client was still connected. */
  isCut?: boolean;
  /** True if an event of the answer reports a failure. */
  isFailed?: boolean;
}

/** Characters of a model's name that are logged. The name comes from the client and may have megabytes. */
const MAX_NAME_CHARS = 200;

/** Facts about one request in addition to its route: names and figures, no message text. */
export class RequestNotes {
  readonly startedAt = performance.now();
  readonly upstream: UpstreamCall[] = [];
  session: string | undefined;
  agent: string | undefined;
  model: string | undefined;
  /** True if a compaction ran for the request. */
  isCompacted = false;
  /** Number of times that the request was compacted and sent again. */
  retries = 0;

  setSession({ id, agentPath }: Session): void {
    this.session = id;
    this.agent = agentPath;
  }

  startUpstream(host: string): UpstreamCall {
    const call: UpstreamCall = { startedAt: performance.now(), host };
    this.upstream.push(call);
    return call;
  }

  get ms(): number {
    return performance.now() - this.startedAt;
  }

  /** Time during which an upstream had the request. */
  get upstreamMs(): number {
    const now = performance.now();
    return this.upstream.reduce((sum, { startedAt, endedAt = now }) => sum + endedAt - startedAt, 0);
  }

  /** Whether an upstream broke its answer off. */
  get isCut(): boolean {
    return this.upstream.some(({ isCut }) => isCut);
  }

  /** Notes that an upstream's answer reports a failure. */
  noteFailure(): void {
    this.upstream.at(-1)!.isFailed = true;
  }

  /** The request's session, agent and model. */
  get place(): object {
    const { session, agent, model } = this;
    return { session, agent, model: model?.slice(0, MAX_NAME_CHARS) };
  }

  /** The request's session, agent and model, with the host of its last upstream. */
  get upstreamPlace(): object {
    return { ...this.place, upstream: this.upstream.at(-1)?.host };
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    notes: RequestNotes;
  }
}

/** Called for each request when its answer has ended or its client has disconnected. */
export type RequestListener = (request: FastifyRequest, status: number) => void;

/** Logs one line per request. Addresses, headers and bodies are left out, because they may contain private text. */
export function logRequests(app: FastifyInstance, onEnd: RequestListener): void {
  app.decorateRequest('notes', undefined as unknown as RequestNotes);
  app.addHook('onRequest', (request, reply, done) => {
    const notes = new RequestNotes();
    request.notes = notes;
    reply.raw.once('close', () => {
      const { method, routeOptions, caller } = request;
      // Other servers log 499 too if a client disconnects before its answer.
      const status = reply.raw.headersSent ? reply.statusCode : 499;
      if (notes.isCut) request.log.warn(notes.upstreamPlace, 'cut off');
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
      onEnd(request, status);
    });
    done();
  });
}

/** Logs the session events that an operator has to know, one line each. */
export function logEvents(app: FastifyInstance, service: Service): void {
  /** By session: how its store failed in the newest call. The store is used several times per call and fails alike. */
  const storeFailures = new Map<string, FaultCodes & { readonly at: number }>();
  const nameOf = (session: string | undefined, agent: string | undefined): string => `${session} ${agent}`;
  app.addHook('onRequest', ({ notes }, reply, done) => {
    // Not onResponse: if the client disconnects, the response never ends.
    reply.raw.once('close', () => storeFailures.delete(nameOf(notes.session, notes.agent)));
    done();
  });
  // Tells a client that is answered from memory, because a restart would lose the content of its call.
  app.addHook('onSend', ({ notes: { session, agent, startedAt } }, reply, _, done) => {
    const how = session === undefined ? undefined : storeFailures.get(nameOf(session, agent));
    // A failure from before this call belongs to an earlier call, whose client had disconnected.
    if (how && how.at >= startedAt) void reply.header('x-spillway-degraded', how.code);
    done();
  });
  service.listen((event) => {
    const facts = factsOf(event);
    if (!facts) return;
    const { kind, sessionId: session, agentPath: agent } = event;
    const model = event.model?.slice(0, MAX_NAME_CHARS);
    if (event.kind === 'store-failed') {
      const [name, how] = [nameOf(session, agent), codesOf(event.error)];
      const before = storeFailures.get(name);
      if (before?.code === how.code && before.cause === how.cause) return;
      storeFailures.set(name, { ...how, at: performance.now() });
    }
    app.log.warn({ event: kind, session, agent, model, ...facts }, kind);
  });
}

/** Only codes and figures, because a message may quote a conversation. */
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

/** The tokens of the request, the part that may never be removed, and the budget: only figures. */
const figuresOf = (error: unknown): object =>
  error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE' ? error.facts : {};

/** The code of a fault, and the code of its cause from the system or the database server. */
export interface FaultCodes {
  readonly code: string;
  readonly cause?: string | number;
}

/** Reads the codes of any thrown value. */
export function codesOf(error: unknown): FaultCodes {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const why = cause?.code;
  return {
    code: typeof code === 'string' ? code : 'INTERNAL',
    ...((typeof why === 'string' || typeof why === 'number') && { cause: why }),
  };
}
