import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import type { ClaimAct, ExplainedMessage, Session } from '../../session/index.js';
import type { Caller } from '../access.js';
import type { Service } from '../service.js';
import { sessionOf } from './asked.js';
import { AgentQuery, ClaimBody, ClaimParams, SessionParams } from './requests.js';
import { ClaimEnd, Claims } from './claim-schemas.js';

const tags = ['asking'];

/** What is carried beside digests, where the log says it, and the acts of operators on it. */
export const claimRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/sessions/:id/claims',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
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

    app.post(
      '/sessions/:id/claims/:claim/end',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Ends a claim by hand: the next compaction carries it no more, and says so where its words still stand. Again: nothing more.',
          params: ClaimParams,
          querystring: AgentQuery,
          body: ClaimBody.nullish(),
          response: { 200: z.object({ ref: z.string(), ended: ClaimEnd }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { claim: ref } = request.params;
        return { ref, ended: await session.operator.endClaim(ref, actOf(request)) };
      },
    );

    app.post(
      '/sessions/:id/claims/:claim/restore',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Takes the end of a claim back: the next compaction carries it again. Again: nothing more.',
          params: ClaimParams,
          querystring: AgentQuery,
          body: ClaimBody.nullish(),
          response: { 200: z.object({ ref: z.string() }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { claim: ref } = request.params;
        await session.operator.restoreClaim(ref, actOf(request));
        return { ref };
      },
    );
  };

/** The word of whoever asks: nobody speaks in another's name. */
const actOf = ({
  caller,
  body,
}: {
  readonly caller: Caller;
  readonly body?: ClaimBody | null | undefined;
}): ClaimAct => ({
  by: caller.name,
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
