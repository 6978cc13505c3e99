import type { FastifyInstance } from 'fastify';
import { maySee } from '../access.js';
import type { Service } from '../service.js';
import { effectOf } from './effect.js';
import { routesOf } from './route.js';
import { Effect } from './schemas.js';

/** Sessions that are added up, those written to last first: each is read whole. */
const MOST_SESSIONS = 200;

/** What compactions came to: of one session, and of all. */
export function effectRoutes(app: FastifyInstance, service: Service): void {
  routesOf(app, service, 'compactions').sessionRoute(
    'GET /sessions/:id/effect',
    {
      summary:
        'What the compactions of the session came to: tokens, stages, lengths of summaries, cost and hooks.',
      answer: Effect,
    },
    async ({ session }) => {
      await session.load();
      return effectOf(session.operator.history);
    },
  );

  routesOf(app, service, 'project').route(
    'GET /effect',
    {
      summary: `The same of all sessions; of the ${MOST_SESSIONS} written to last where there are more.`,
      answer: Effect,
    },
    async ({ caller }) => {
      const threads = (await service.store.threads()).filter(({ sessionId }) => maySee(caller, sessionId));
      const histories = await Promise.all(
        threads.slice(0, MOST_SESSIONS).map(async ({ head: _, ...key }) => {
          const session = await service.session(key);
          await session.load();
          return session.operator.history;
        }),
      );
      return effectOf(histories.flat());
    },
  );
}
