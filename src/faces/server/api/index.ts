import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod/v4';
import { named } from '../named.js';
import * as verbs from '../../operations/index.js';
import type { Service } from '../service.js';
import { parseJson, type CompactionRecord } from '../../../transcript/index.js';
import { maySee, type Caller } from '../access.js';
import { goneOf } from '../gone.js';
import type { EngineEvent } from '../../../session/index.js';
import { SpillwayError } from '../../../errors/index.js';
import { faultBody } from '../faults.js';
import { knobRoutes } from './knobs.js';
import { planRoutes, compacted, planned } from './plans.js';
import { projectRoutes } from './project.js';
import { routesOf } from './route.js';
import { sessionRoutes } from './sessions.js';
import { paged, checkSeen, ofReadable } from './asked.js';
import { CompactBody, PagedAgentQuery, SessionParams } from './requests.js';

/** What became of messages, what calls were sent, what was said originally, and what it all cost. */
function askingRoutes(app: FastifyInstance, service: Service): void {
  const { verbRoute } = routesOf(app, service, 'asking');
  verbRoute('GET /sessions/:id/explain', verbs.explain);
  verbRoute('GET /sessions/:id/find', verbs.find);
  verbRoute('GET /sessions/:id/calls', verbs.calls);
  verbRoute('POST /sessions/:id/recall', verbs.recall, { role: 'viewer', needsBody: true });
  verbRoute('POST /sessions/:id/give-back', verbs.giveBack);
  verbRoute('GET /sessions/:id/give-back', verbs.givenBack);
  verbRoute('GET /sessions/:id/audit', verbs.audit);
  verbRoute('GET /sessions/:id/costs', verbs.costs);
}

const ROUTES = [
  sessionRoutes,
  compactionRoutes,
  planRoutes,
  askingRoutes,
  knobRoutes,
  projectRoutes,
  eventRoutes,
];

/** The HTTP API: every action of the page, and of the library as far as others than programs want it. */
export async function registerApi(app: FastifyInstance, service: Service): Promise<void> {
  readBodies(app);
  for (const routes of ROUTES)
    await app.register(named(routes.name, async (scope: FastifyInstance) => routes(scope, service)));
}

/** Reads JSON bodies as fastify does; a request to a model within one keeps its numbers as they are written. */
function readBodies(app: FastifyInstance): void {
  const usual = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Some clients name the type of a body that they do not send.
    if (text === '') return done(null);
    // Typed for promises too; this one calls back.
    void usual(request, text as string, (error, body) => {
      if (!error && hasRequest(body)) body.request = (parseJson(text as string) as HasRequest).request;
      done(error, body);
    });
  });
}

interface HasRequest {
  request: unknown;
}

const hasRequest = (body: unknown): body is HasRequest =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, 'request');

/** Sessions that are added up, those written to last first: each is read whole. */
const MOST_SESSIONS = 200;

/** Compacts, judges compactions and takes them back. */
function compactionRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute, verbRoute } = routesOf(app, service, 'compactions');

  sessionRoute(
    'POST /sessions/:id/compact',
    {
      summary:
        'Compacts now, whatever the gates say; overrides hold for this one run. dry_run says what would be done.',
      query: null,
      body: CompactBody,
      answer: z.union([verbs.RunReport, verbs.DryRun]),
    },
    ({ session, body: { dry_run: isDry, agent_path: _, ...asked }, reply }) =>
      isDry ? planned(service, session, asked, goneOf(reply)) : compacted(session, asked),
  );

  sessionRoute(
    'GET /sessions/:id/compactions',
    {
      summary: `${verbs.history.summary} Without the edits of their plans: those can be long.`,
      query: PagedAgentQuery.extend({
        full: verbs.flagText
          .default(false)
          .describe('With the edits, each with the words that stand in its place.'),
      }),
      answer: verbs.pageOf(verbs.CompactionSummary),
    },
    async ({ session, query }) => {
      const page = paged(await verbs.history.run(session, {}), query);
      return query.full ? page : { ...page, items: page.items.map(summaryOf) };
    },
  );
  verbRoute('GET /sessions/:id/compactions/:cid', verbs.compaction);
  verbRoute('PATCH /sessions/:id/compactions/:cid', verbs.flag);
  verbRoute('POST /sessions/:id/undo', verbs.undo);
  verbRoute('POST /sessions/:id/release', verbs.release);
  verbRoute('POST /sessions/:id/rollback', verbs.rollback);
  verbRoute('GET /sessions/:id/effect', verbs.effect);

  routesOf(app, service, 'project').route(
    'GET /effect',
    {
      summary: `The same of all sessions; of the ${MOST_SESSIONS} written to last where there are more.`,
      answer: verbs.Effect.extend({ skipped: verbs.Skipped }),
    },
    async ({ caller }) => {
      const threads = (await service.store.threads()).filter(({ sessionId }) => maySee(caller, sessionId));
      const { values, skipped } = await ofReadable(
        threads.slice(0, MOST_SESSIONS),
        async ({ head: _, ...key }) => verbs.history.run(await service.session(key), {}),
      );
      return { ...verbs.effectOf(values.flat()), skipped };
    },
  );
}

function summaryOf({ plan: { edits: _, ...plan }, ...record }: CompactionRecord): object {
  return { ...record, plan };
}

/** Proxies cut what is silent for a minute. */
const BEAT_MS = 20_000;
/** Events that a slow reader may be behind; then it is cut off, and asks again. */
const MOST_WAITING = 1_000;

/** What happens, as it happens: Server-Sent Events, one JSON object each, named by kind. */
function eventRoutes(app: FastifyInstance, service: Service): void {
  const open = new Set<Readable>();
  app.addHook('preClose', (done) => {
    for (const stream of open) stream.push(null);
    done();
  });

  const held = new Map<string, number>();

  const follow = (
    { name }: Caller,
    reply: FastifyReply,
    wanted: (event: EngineEvent) => boolean,
  ): FastifyReply => {
    const most = service.settings.server.eventStreams;
    const own = held.get(name) ?? 0;
    if (own >= most) {
      const words = `This token has ${most} event streams open already: server.eventStreams.`;
      return reply
        .code(429)
        .header('retry-after', '1')
        .send(faultBody('HTTP_429', words, true));
    }
    held.set(name, own + 1);
    const stream = new Readable({ read: () => undefined });
    open.add(stream);
    let waiting = 0;
    const say = (text: string): void => {
      if (stream.destroyed) return;
      waiting = stream.push(text) ? 0 : waiting + 1;
      if (waiting > MOST_WAITING) stream.destroy();
    };
    const leave = service.listen((event) => {
      if (wanted(event)) say(`event: ${event.kind}\ndata: ${JSON.stringify(told(event))}\n\n`);
    });
    const beat = setInterval(() => say(': still here\n\n'), BEAT_MS);
    beat.unref();
    stream.once('close', () => {
      leave();
      clearInterval(beat);
      open.delete(stream);
      held.set(name, held.get(name)! - 1);
    });
    say(': following\n\n');
    return reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .send(stream);
  };

  const { route } = routesOf(app, service, 'events');
  // Streams stay open: they are bounded by token, and keep nobody else's requests out.
  const how = {
    isUncounted: true,
    answer: z.string().describe('text/event-stream; kinds as in docs/operating.md.'),
  };
  route('GET /events', { summary: 'What happens in all sessions.', ...how }, ({ caller, reply }) =>
    follow(caller, reply, ({ sessionId }) => maySee(caller, sessionId)),
  );
  route(
    'GET /sessions/:id/events',
    { summary: 'What happens in one session.', params: SessionParams, ...how },
    ({ caller, params: { id }, reply }) => {
      checkSeen(caller, id);
      return follow(caller, reply, ({ sessionId }) => sessionId === id);
    },
  );
}

/** Errors do not write themselves as JSON. */
function told(event: EngineEvent): object {
  if (!('error' in event)) return event;
  const { error } = event;
  const { code, message } =
    error instanceof SpillwayError ? error : { code: 'INTERNAL', message: 'A fault.' };
  return { ...event, error: { code, message } };
}
