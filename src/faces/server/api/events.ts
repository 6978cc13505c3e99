import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod/v4';
import type { EngineEvent } from '../../../session/index.js';
import { SpillwayError } from '../../../errors/index.js';
import { maySee, type Caller } from '../access.js';
import { faultBody } from '../faults.js';
import type { Service } from '../service.js';
import { checkVisible } from './session-lists.js';
import { agentField, SessionParams } from './requests.js';
import { routesOf } from './route.js';

/** Proxies between client and service cut connections that are silent for a minute. */
const HEARTBEAT_MS = 20_000;
/** Most events that a slow reader may be behind. A slower reader is disconnected and has to reconnect. */
const MAX_WAITING = 1_000;

/** Routes for live events: Server-Sent Events with one JSON object each, named by kind. */
export function eventRoutes(app: FastifyInstance, service: Service): void {
  const open = new Set<Readable>();
  app.addHook('preClose', (done) => {
    for (const stream of open) stream.push(null);
    done();
  });

  const streamCounts = new Map<string, number>();

  const follow = (
    { name }: Caller,
    reply: FastifyReply,
    wanted: (event: EngineEvent) => boolean,
  ): FastifyReply => {
    // Fastify answers HEAD with the route of GET, and would never end the stream.
    if (reply.request.method === 'HEAD') return reply.header('content-type', 'text/event-stream').send();
    const most = service.settings.server.eventStreams;
    const own = streamCounts.get(name) ?? 0;
    if (own >= most) {
      const words = `This token has ${most} event streams open already: server.eventStreams.`;
      return reply
        .code(429)
        .header('retry-after', '1')
        .send(faultBody('HTTP_429', words, true));
    }
    streamCounts.set(name, own + 1);
    const stream = new Readable({ read: () => undefined });
    open.add(stream);
    let waiting = 0;
    const write = (text: string): void => {
      if (stream.destroyed) return;
      waiting = stream.push(text) ? 0 : waiting + 1;
      if (waiting > MAX_WAITING) stream.destroy();
    };
    const unsubscribe = service.listen((event) => {
      if (wanted(event)) write(`event: ${event.kind}\ndata: ${JSON.stringify(asJson(event))}\n\n`);
    });
    const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    heartbeat.unref();
    stream.once('close', () => {
      unsubscribe();
      clearInterval(heartbeat);
      open.delete(stream);
      streamCounts.set(name, streamCounts.get(name)! - 1);
    });
    write(': following\n\n');
    return reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .send(stream);
  };

  const { route } = routesOf(app, service, 'events');
  // Streams stay open, so they are limited per token, and do not count as requests of other clients.
  const how = {
    isUncounted: true,
    answer: z.string().describe('text/event-stream; kinds as in docs/operating.md.'),
  };
  route('GET /events', { summary: 'What happens in all sessions.', ...how }, ({ caller, reply }) =>
    follow(caller, reply, ({ sessionId }) => maySee(caller, sessionId)),
  );
  route(
    'GET /sessions/:id/events',
    { summary: 'What happens in one session.', params: SessionParams, query: z.object(agentField), ...how },
    ({ caller, params: { id }, query: { agent_path: of }, reply }) => {
      checkVisible(caller, id);
      return follow(caller, reply, (one) => one.sessionId === id && one.agentPath === (of ?? one.agentPath));
    },
  );
}

/** Errors have no JSON form of their own. */
function asJson(event: EngineEvent): object {
  if (!('error' in event)) return event;
  const { error } = event;
  const { code, message } =
    error instanceof SpillwayError ? error : { code: 'INTERNAL', message: 'A fault.' };
  return { ...event, error: { code, message } };
}
