import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import type { RunReport as Report, Session } from '../../session/index.js';
import type { CompactionRecord as RecordValue } from '../../transcript/index.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { paged, sessionOf } from './asked.js';
import { keepPlan } from './kept-plans.js';
import {
  AgentQuery,
  CompactBody,
  FlagBody,
  PageQuery,
  RecordParams,
  SessionParams,
  UndoBody,
} from './requests.js';
import { overridesOf, planned } from './runs.js';
import { CompactionRecord, DryRun, NetCost, pageOf, RunReport } from './schemas.js';

const tags = ['compactions'];
const Records = z.object({ records: z.array(CompactionRecord) });

/** Compacts, judges compactions and takes them back. */
export const compactionRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.post(
      '/sessions/:id/compact',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Compacts now, whatever the gates say; overrides hold for this one run. dry_run says what would be done.',
          params: SessionParams,
          body: CompactBody,
          headers: z.looseObject({
            'idempotency-key': z
              .string()
              .min(1)
              .max(200)
              .optional()
              .describe('The same key again gets the same answer.'),
          }),
          response: { 200: z.union([RunReport, DryRun]) },
        },
      },
      async (request, reply) => {
        const session = await sessionOf(service, request);
        const { dry_run: isDry, agent_path: _, ...asked } = request.body;
        if (isDry)
          return (await kept(session, await planned(service, session, asked, goneOf(reply)))) as never;
        const key = request.headers['idempotency-key'];
        const scope = `service.answers ${JSON.stringify([session.id, session.agentPath])}`;
        const before = key === undefined ? undefined : await service.store.value(scope, key);
        if (typeof before === 'string') return reportOf(await recordOf(session, before)) as never;
        const report = await compacted(session, asked);
        if (key !== undefined && report.record) await service.store.setValue(scope, key, report.record.id);
        return report as never;
      },
    );

    const kept = async <Run extends Awaited<ReturnType<typeof planned>>>(
      session: Session,
      run: Run,
    ): Promise<Run> => {
      if (run.plan) await keepPlan(service.store, session, run.plan, Date.now());
      return run;
    };

    const compacted = async (session: Session, asked: Parameters<typeof planned>[2]): Promise<Report> => {
      const { strategy, lower_threshold: target } = asked;
      if (strategy !== 'checkpoint' && !overridesOf({ ...asked, strategy }))
        return session.operator.compact(target === undefined ? {} : { target });
      const run = await planned(service, session, asked);
      const { plan, reason, stages, error } = run;
      if (!plan)
        return {
          kind: run.kind === 'unreachable' ? 'unreachable' : 'noop',
          reason,
          stages,
          durationMs: 0,
          ...(error && { error }),
        };
      if (strategy === 'checkpoint') {
        await session.operator.propose(plan);
        return { kind: 'pending', reason, stages, plan, durationMs: 0 };
      }
      const record = await session.operator.commit(plan);
      return { kind: 'committed', reason, stages, record, durationMs: 0 };
    };

    app.get(
      '/sessions/:id/compactions',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'Compactions of the session, newest first.',
          params: SessionParams,
          querystring: AgentQuery.extend(PageQuery.shape),
          response: { 200: pageOf(CompactionRecord) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        await session.load();
        return paged(session.operator.history.toReversed(), request.query) as never;
      },
    );

    app.get(
      '/sessions/:id/compactions/:cid',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'One compaction, and what it costs and saves.',
          params: RecordParams,
          querystring: AgentQuery,
          response: { 200: z.object({ record: CompactionRecord, net: NetCost.optional() }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const record = await recordOf(session, request.params.cid);
        const net = session.operator.netCosts.find((one) => one.record === record.id);
        return { record, ...(net && { net }) } as never;
      },
    );

    app.patch(
      '/sessions/:id/compactions/:cid',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: "An operator's judgement of a compaction.",
          params: RecordParams,
          querystring: AgentQuery,
          body: FlagBody,
          response: { 200: CompactionRecord },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { flag, notes } = request.body;
        return (await session.operator.flag(request.params.cid, flag, notes)) as never;
      },
    );

    app.post(
      '/sessions/:id/undo',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Takes the newest compaction back, or those that are named; their spans are held until released.',
          params: SessionParams,
          querystring: AgentQuery,
          body: UndoBody.nullish(),
          response: { 200: Records },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { record, to } = request.body ?? {};
        await session.load();
        return { records: await undone(session, record, to) } as never;
      },
    );

    app.post(
      '/sessions/:id/compactions/:cid/undo',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'Takes this compaction back; with `and_later` those after it too. Again: nothing more.',
          params: RecordParams,
          querystring: AgentQuery,
          body: z.strictObject({ and_later: z.boolean().default(false) }).nullish(),
          response: { 200: Records },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { id } = await recordOf(session, request.params.cid);
        return {
          records: await undone(
            session,
            ...(request.body?.and_later ? ([undefined, id] as const) : ([id, undefined] as const)),
          ),
        } as never;
      },
    );

    app.post(
      '/sessions/:id/release',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'Lets go of what undo holds.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        await (await sessionOf(service, request)).operator.release();
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/sessions/:id/rollback',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Goes back to a message: what came after is left out, what was compacted since stands again.',
          params: SessionParams,
          querystring: AgentQuery,
          body: z.strictObject({ message_id: z.string().min(1) }),
          response: { 200: Records },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        return { records: await session.operator.rollback(request.body.message_id) } as never;
      },
    );
  };

async function undone(session: Session, record?: string, to?: string): Promise<readonly RecordValue[]> {
  return session.operator.undo({
    ...(record !== undefined && { record }),
    ...(to !== undefined && { to }),
  });
}

async function recordOf(session: Session, id: string): Promise<RecordValue> {
  await session.load();
  const found = session.operator.history.find((record) => record.id === id);
  if (found) return found;
  throw new SpillwayError('RECORD_UNKNOWN', {
    subject: 'compaction',
    found: id,
    remedy: 'GET compactions lists those of the session.',
  });
}

function reportOf(record: RecordValue): Report {
  const { plan, durationMs } = record;
  return { kind: 'committed', reason: plan.trigger.detail, stages: plan.stages, record, durationMs };
}
