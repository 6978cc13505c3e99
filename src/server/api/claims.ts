import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ExplainedMessage, Session } from '../../session/index.js';
import type { Service } from '../service.js';
import { sessionOf } from './asked.js';
import { AgentQuery, SessionParams } from './requests.js';
import { Claims } from './claim-schemas.js';

/** What is carried beside digests, and where the log says it. */
export const claimRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/sessions/:id/claims',
      {
        config: { role: 'viewer' },
        schema: {
          tags: ['asking'],
          summary:
            'Exact things that the log says: bounds, demands, steps, failures, changed files; whether each holds, and whether its message is still sent.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 200: Claims },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        await session.load();
        return claimsOf(session) as never;
      },
    );
  };

function claimsOf({ operator, view }: Session): object {
  const messages = operator.explain();
  const carried = view.find(({ message }) => message.label === 'claims');
  return {
    items: operator.claims.map((claim) => ({ ...claim, ...placeOf(messages[claim.seq]) })),
    files: operator.files
      .filter(({ state }) => state !== 'read')
      .map(({ last, ...file }) => ({ ...file, seq: last, ...placeOf(messages[last]) })),
    ...(carried && {
      carried: { id: carried.message.id, tokens: carried.size.tokens, parts: carried.message.parts },
    }),
  };
}

/** Whether a message is still sent in its own words; if not, which compaction took them. */
function placeOf(found: ExplainedMessage | undefined): object {
  if (!found) return { isSent: false };
  const { id, status, record } = found;
  const isSent = status === 'kept' || status === 'pinned';
  return { id, isSent, ...(!isSent && record !== undefined && { record }) };
}
