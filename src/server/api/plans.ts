import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Session } from '../../session/index.js';
import type { CompactionRecord, Plan as PlanValue } from '../../transcript/index.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { keepPlan, keptPlans, planOf } from './kept-plans.js';
import { PlanBody, PlanChangesBody, PlanParams } from './requests.js';
import { routesOf } from './route.js';
import { planned } from './runs.js';
import { CompactionRecord as Record, DryRun, Plan, Reading, ShownMessage } from './schemas.js';
import { shown } from './shown.js';

const Kept = z.object({ at: z.number(), waits: z.boolean(), plan: Plan });

/** Makes, shows, changes, commits plans, and answers those that wait. */
export function planRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute } = routesOf(app, service, 'plans');
  const keep = (session: Session, plan: PlanValue): Promise<void> =>
    keepPlan(service.store, session, plan, Date.now());

  sessionRoute(
    'GET /sessions/:id/plans',
    {
      summary: 'Plans that were made and not committed, newest first; one of them may wait for a yes.',
      answer: z.object({ items: z.array(Kept) }),
    },
    async ({ session }) => {
      const { pending } = session.operator;
      const kept = (await keptPlans(service.store, session)).map(({ at, plan }) => ({
        at,
        plan,
        waits: false,
      }));
      const others = kept.filter(({ plan }) => plan.hash !== pending?.plan.hash);
      return { items: [...(pending ? [{ ...pending, waits: true }] : []), ...others] };
    },
  );

  sessionRoute(
    'POST /sessions/:id/plans',
    {
      summary:
        'What a compaction would do now, under these settings. Changes nothing; the plan is kept for a while.',
      query: null,
      body: PlanBody,
      answer: DryRun,
    },
    async ({ session, body, reply }) => {
      const run = await planned(service, session, body, goneOf(reply));
      if (run.plan) await keep(session, run.plan);
      return run;
    },
  );

  sessionRoute(
    'GET /sessions/:id/plans/:hash',
    {
      summary: 'A plan, and the request that it would give.',
      params: PlanParams,
      answer: z.object({
        plan: Plan,
        preview: z.object({
          reading: Reading,
          messages: z.array(ShownMessage),
          request: z.array(z.unknown()),
        }),
      }),
    },
    async ({ session, params }) => {
      const plan = await planOf(service.store, session, params.hash);
      const { messages, reading, view } = await session.operator.preview(plan);
      return { plan, preview: { reading, messages: view.map(shown), request: messages } };
    },
  );

  sessionRoute(
    'PATCH /sessions/:id/plans/:hash',
    {
      summary:
        'Another plan: with other words, or without some edits; judged and measured again. One that waits is replaced.',
      params: PlanParams,
      body: PlanChangesBody,
      answer: Plan,
    },
    async ({ session, params, body: { without, keep: kept, text } }) => {
      const plan = await planOf(service.store, session, params.hash);
      const changed = await session.operator.edit(plan, {
        ...(without && { without }),
        ...(kept && { keep: kept }),
        ...(text && { text }),
      });
      await keep(session, changed);
      return changed;
    },
  );

  const answerRoute = (
    verb: string,
    summary: string,
    act: (session: Session, hash: string, notes: string | undefined) => Promise<CompactionRecord | undefined>,
  ): void =>
    sessionRoute(
      `POST /sessions/:id/plans/:hash/${verb}`,
      {
        summary,
        params: PlanParams,
        body: z.strictObject({ notes: z.string().max(20_000).optional() }).nullish(),
        answer: z.object({ record: Record.optional() }),
      },
      async ({ session, params, body }) => {
        await session.load();
        const record = await act(session, params.hash, body?.notes);
        return { ...(record && { record }) };
      },
    );

  answerRoute(
    'commit',
    'Commits exactly this plan. Again: the compaction that came of it.',
    async (session, hash) => {
      const done = committedAs(session, hash);
      return done ?? session.operator.commit(await planOf(service.store, session, hash));
    },
  );
  answerRoute(
    'propose',
    'Lets the plan wait; calls that need it pause until it is approved or rejected.',
    async (session, hash) => {
      if (session.operator.pending?.plan.hash === hash) return undefined;
      await session.operator.propose(await planOf(service.store, session, hash));
      return undefined;
    },
  );
  answerRoute(
    'approve',
    'Says yes to the plan that waits.',
    async (session, hash) => committedAs(session, hash) ?? session.operator.approve(hash),
  );
  answerRoute('reject', 'Says no to the plan that waits.', async (session, hash, notes) => {
    await session.operator.reject(hash, notes);
    return undefined;
  });
}

/** Asked again, because an answer got lost: what was done stands. */
function committedAs(session: Session, hash: string): CompactionRecord | undefined {
  return session.operator.history.find(({ plan, status }) => plan.hash === hash && status === 'committed');
}
