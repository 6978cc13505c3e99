import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import type { RunReport as Report, Session } from '../../session/index.js';
import type { CompactionRecord as RecordValue } from '../../transcript/index.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { paged } from './asked.js';
import { keepPlan } from './kept-plans.js';
import { CompactBody, FlagBody, PagedAgentQuery, RecordParams, UndoBody } from './requests.js';
import { routesOf } from './route.js';
import { overridesOf, planned } from './runs.js';
import { CompactionRecord, DryRun, NetCost, pageOf, RunReport } from './schemas.js';

const Records = z.object({ records: z.array(CompactionRecord) });

/** Compacts, judges compactions and takes them back. */
export function compactionRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute } = routesOf(app, service, 'compactions');

  sessionRoute(
    'POST /sessions/:id/compact',
    {
      summary:
        'Compacts now, whatever the gates say; overrides hold for this one run. dry_run says what would be done.',
      query: null,
      headers: z.looseObject({
        'idempotency-key': z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('The same key again gets the same answer.'),
      }),
      body: CompactBody,
      answer: z.union([RunReport, DryRun]),
    },
    async ({ session, headers, body, reply }) => {
      const { dry_run: isDry, agent_path: _, ...asked } = body;
      if (isDry) {
        const run = await planned(service, session, asked, goneOf(reply));
        if (run.plan) await keepPlan(service.store, session, run.plan, Date.now());
        return run;
      }
      const key = headers['idempotency-key'];
      const scope = `service.answers ${JSON.stringify([session.id, session.agentPath])}`;
      const before = key === undefined ? undefined : await service.store.value(scope, key);
      if (typeof before === 'string') return reportOf(await recordOf(session, before));
      const report = await compacted(service, session, asked);
      if (key !== undefined && report.record) await service.store.setValue(scope, key, report.record.id);
      return report;
    },
  );

  sessionRoute(
    'GET /sessions/:id/compactions',
    {
      summary: 'Compactions of the session, newest first.',
      query: PagedAgentQuery,
      answer: pageOf(CompactionRecord),
    },
    async ({ session, query }) => {
      await session.load();
      return paged(session.operator.history.toReversed(), query);
    },
  );

  sessionRoute(
    'GET /sessions/:id/compactions/:cid',
    {
      summary: 'One compaction, and what it costs and saves.',
      params: RecordParams,
      answer: z.object({ record: CompactionRecord, net: NetCost.optional() }),
    },
    async ({ session, params }) => {
      const record = await recordOf(session, params.cid);
      const net = session.operator.netCosts.find((one) => one.record === record.id);
      return { record, ...(net && { net }) };
    },
  );

  sessionRoute(
    'PATCH /sessions/:id/compactions/:cid',
    {
      summary: "An operator's judgement of a compaction.",
      params: RecordParams,
      body: FlagBody,
      answer: CompactionRecord,
    },
    ({ session, params, body }) => session.operator.flag(params.cid, body.flag, body.notes),
  );

  sessionRoute(
    'POST /sessions/:id/undo',
    {
      summary:
        'Takes the newest compaction back, or those that are named; their spans are held until released.',
      body: UndoBody.nullish(),
      answer: Records,
    },
    async ({ session, body }) => {
      await session.load();
      return { records: await undone(session, body?.record, body?.to) };
    },
  );

  sessionRoute(
    'POST /sessions/:id/compactions/:cid/undo',
    {
      summary: 'Takes this compaction back; with `and_later` those after it too. Again: nothing more.',
      params: RecordParams,
      body: z.strictObject({ and_later: z.boolean().default(false) }).nullish(),
      answer: Records,
    },
    async ({ session, params, body }) => {
      const { id } = await recordOf(session, params.cid);
      return { records: await (body?.and_later ? undone(session, undefined, id) : undone(session, id)) };
    },
  );

  sessionRoute('POST /sessions/:id/release', { summary: 'Lets go of what undo holds.' }, ({ session }) =>
    session.operator.release(),
  );

  sessionRoute(
    'POST /sessions/:id/rollback',
    {
      summary: 'Goes back to a message: what came after is left out, what was compacted since stands again.',
      body: z.strictObject({ message_id: z.string().min(1) }),
      answer: Records,
    },
    async ({ session, body }) => ({ records: await session.operator.rollback(body.message_id) }),
  );
}

async function compacted(
  service: Service,
  session: Session,
  asked: Parameters<typeof planned>[2],
): Promise<Report> {
  const { strategy, lower_threshold: target } = asked;
  if (strategy !== 'checkpoint' && !overridesOf(asked, service.settings))
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
}

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
