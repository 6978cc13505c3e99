import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { ClaimAct, ExplainedMessage, Session } from '../../session/index.js';
import type { Caller } from '../access.js';
import type { Service } from '../service.js';
import { ClaimBody, ClaimParams } from './requests.js';
import { routesOf } from './route.js';
import { ClaimEnd, Claims } from './claim-schemas.js';

/** What is carried beside digests, where the log says it, and the acts of operators on it. */
export function claimRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute } = routesOf(app, service, 'asking');

  sessionRoute(
    'GET /sessions/:id/claims',
    {
      summary:
        'Exact things that the log says: bounds, demands, steps, failures, changed files; whether each holds, and whether its message is still sent.',
      answer: Claims,
    },
    async ({ session }) => {
      await session.load();
      return claimsOf(session);
    },
  );

  sessionRoute(
    'POST /sessions/:id/claims/:claim/end',
    {
      summary:
        'Ends a claim by hand: the next compaction carries it no more, and says so where its words still stand. Again: nothing more.',
      params: ClaimParams,
      body: ClaimBody.nullish(),
      answer: z.object({ ref: z.string(), ended: ClaimEnd }),
    },
    async ({ session, params: { claim: ref }, caller, body }) => ({
      ref,
      ended: await session.operator.endClaim(ref, actOf(caller, body)),
    }),
  );

  sessionRoute(
    'POST /sessions/:id/claims/:claim/restore',
    {
      summary: 'Takes the end of a claim back: the next compaction carries it again. Again: nothing more.',
      params: ClaimParams,
      body: ClaimBody.nullish(),
      answer: z.object({ ref: z.string() }),
    },
    async ({ session, params: { claim: ref }, caller, body }) => {
      await session.operator.restoreClaim(ref, actOf(caller, body));
      return { ref };
    },
  );
}

/** The word of whoever asks: nobody speaks in another's name. */
const actOf = ({ name }: Caller, body: ClaimBody | null | undefined): ClaimAct => ({
  by: name,
  ...(body?.notes !== undefined && { notes: body.notes }),
});

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
