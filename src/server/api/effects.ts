import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { maySee } from '../access.js';
import type { Service } from '../service.js';
import { sessionOf } from './asked.js';
import { effectOf } from './effect.js';
import { AgentQuery, SessionParams } from './requests.js';
import { Effect } from './schemas.js';

const config = { role: 'viewer' } as const;

/** Sessions that are added up, those written to last first: each is read whole. */
const MOST = 200;

/** What compactions came to: of one session, and of all. */
export const effectRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/sessions/:id/effect',
      {
        config,
        schema: {
          tags: ['compactions'],
          summary:
            'What the compactions of the session came to: tokens, stages, lengths of summaries, cost and hooks.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 200: Effect },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        await session.load();
        return effectOf(session.operator.history) as never;
      },
    );

    app.get(
      '/effect',
      {
        config,
        schema: {
          tags: ['project'],
          summary: `The same of all sessions; of the ${MOST} written to last where there are more.`,
          response: { 200: Effect },
        },
      },
      async ({ caller }) => {
        const threads = (await service.store.threads()).filter(({ sessionId }) => maySee(caller, sessionId));
        const histories = await Promise.all(
          threads.slice(0, MOST).map(async ({ head: _, ...key }) => {
            const session = await service.session(key);
            await session.load();
            return session.operator.history;
          }),
        );
        return effectOf(histories.flat()) as never;
      },
    );
  };
