import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import type { Session } from '../../session/index.js';
import type { CompactionRecord, Plan as PlanValue } from '../../transcript/index.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { sessionOf } from './asked.js';
import { keepPlan, keptPlans, planOf } from './kept-plans.js';
import { AgentQuery, PlanBody, PlanChangesBody, PlanParams, SessionParams } from './requests.js';
import { planned } from './runs.js';
import { CompactionRecord as Record, DryRun, Plan, Reading, ShownMessage } from './schemas.js';
import { shown } from './shown.js';

const tags = ['plans'];
const Kept = z.object({ at: z.number(), waits: z.boolean(), plan: Plan });

/** Makes, shows, changes, commits plans, and answers those that wait. */
export const planRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    const keep = (session: Session, plan: PlanValue): Promise<void> =>
      keepPlan(service.store, session, plan, Date.now());

    app.get(
      '/sessions/:id/plans',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'Plans that were made and not committed, newest first; one of them may wait for a yes.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 200: z.object({ items: z.array(Kept) }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { pending } = session.operator;
        const kept = (await keptPlans(service.store, session)).map(({ at, plan }) => ({
          at,
          plan,
          waits: false,
        }));
        const others = kept.filter(({ plan }) => plan.hash !== pending?.plan.hash);
        return { items: [...(pending ? [{ ...pending, waits: true }] : []), ...others] } as never;
      },
    );

    app.post(
      '/sessions/:id/plans',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'What a compaction would do now, under these settings. Changes nothing; the plan is kept for a while.',
          params: SessionParams,
          body: PlanBody,
          response: { 200: DryRun },
        },
      },
      async (request, reply) => {
        const session = await sessionOf(service, request);
        const run = await planned(service, session, request.body, goneOf(reply));
        if (run.plan) await keep(session, run.plan);
        return run as never;
      },
    );

    app.get(
      '/sessions/:id/plans/:hash',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'A plan, and the request that it would give.',
          params: PlanParams,
          querystring: AgentQuery,
          response: {
            200: z.object({
              plan: Plan,
              preview: z.object({
                reading: Reading,
                messages: z.array(ShownMessage),
                request: z.array(z.unknown()),
              }),
            }),
          },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const plan = await planOf(service.store, session, request.params.hash);
        const { messages, reading, view } = await session.operator.preview(plan);
        return { plan, preview: { reading, messages: view.map(shown), request: messages } } as never;
      },
    );

    app.patch(
      '/sessions/:id/plans/:hash',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Another plan: with other words, or without some edits; judged and measured again. One that waits is replaced.',
          params: PlanParams,
          querystring: AgentQuery,
          body: PlanChangesBody,
          response: { 200: Plan },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { without, keep: kept, text } = request.body;
        const plan = await planOf(service.store, session, request.params.hash);
        const changed = await session.operator.edit(plan, {
          ...(without && { without }),
          ...(kept && { keep: kept }),
          ...(text && { text }),
        });
        await keep(session, changed);
        return changed as never;
      },
    );

    const answer = (
      verb: string,
      summary: string,
      act: (
        session: Session,
        hash: string,
        notes: string | undefined,
      ) => Promise<CompactionRecord | undefined>,
    ): void => {
      app.post(
        `/sessions/:id/plans/:hash/${verb}`,
        {
          config: { role: 'operator' },
          schema: {
            tags,
            summary,
            params: PlanParams,
            querystring: AgentQuery,
            body: z.strictObject({ notes: z.string().max(20_000).optional() }).nullish(),
            response: { 200: z.object({ record: Record.optional() }) },
          },
        },
        async (request) => {
          const session = await sessionOf(service, request);
          await session.load();
          const record = await act(session, request.params.hash, request.body?.notes);
          return { ...(record && { record }) } as never;
        },
      );
    };

    answer(
      'commit',
      'Commits exactly this plan. Again: the compaction that came of it.',
      async (session, hash) => {
        const done = committedAs(session, hash);
        return done ?? session.operator.commit(await planOf(service.store, session, hash));
      },
    );
    answer(
      'propose',
      'Lets the plan wait; calls that need it pause until it is approved or rejected.',
      async (session, hash) => {
        if (session.operator.pending?.plan.hash === hash) return undefined;
        await session.operator.propose(await planOf(service.store, session, hash));
        return undefined;
      },
    );
    answer(
      'approve',
      'Says yes to the plan that waits.',
      async (session, hash) => committedAs(session, hash) ?? session.operator.approve(hash),
    );
    answer('reject', 'Says no to the plan that waits.', async (session, hash, notes) => {
      await session.operator.reject(hash, notes);
      return undefined;
    });
  };

/** Asked again, because an answer got lost: what was done stands. */
function committedAs(session: Session, hash: string): CompactionRecord | undefined {
  return session.operator.history.find(({ plan, status }) => plan.hash === hash && status === 'committed');
}
