import type { FastifyInstance } from 'fastify';
import { approve, DryRun, keepPlan, planVerbs, present, reject } from '../../operations/index.js';
import type { DryRun as DryRunReport, RunOverrides, RunReport, Session } from '../../../session/index.js';
import { merge } from '../engine.js';
import { disconnectSignal } from '../disconnect.js';
import type { Service } from '../service.js';
import { checkOpen } from './closed.js';
import { PlanBody, type RunOverrides as AskedRun } from './requests.js';
import { routesOf } from './route.js';

/** Routes that make, show, change and commit plans, and approve or reject waiting plans. */
export function planRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute, verbRoute } = routesOf(app, service, 'plans');
  const { plans, plan, edit, commit, propose } = planVerbs(service.store);

  sessionRoute(
    'POST /sessions/:id/plans',
    {
      summary:
        'Plans a compaction with these settings and changes nothing. The plan is kept for a limited time.',
      body: PlanBody,
      answer: DryRun,
    },
    ({ session, body: { agent_path: _, ...asked }, reply }) =>
      dryRun(service, session, asked, disconnectSignal(reply)),
  );

  verbRoute('GET /sessions/:id/plans', plans);
  verbRoute('GET /sessions/:id/plans/:hash', plan);
  verbRoute('PATCH /sessions/:id/plans/:hash', edit);
  verbRoute('POST /sessions/:id/plans/:hash/commit', commit);
  verbRoute('POST /sessions/:id/plans/:hash/propose', propose);
  verbRoute('POST /sessions/:id/plans/:hash/approve', approve);
  verbRoute('POST /sessions/:id/plans/:hash/reject', reject);
}

/** The overrides of a body, with the library's names. */
function overridesOf(asked: AskedRun): RunOverrides {
  const { strategy, summarize, prompt, settings } = asked;
  const { upper_threshold: threshold, lower_threshold: target, retain_count: retainCount } = asked;
  checkOpen([], settings);
  checkOpen(['compaction', 'prompt'], prompt);
  const layers: readonly object[] = [
    retainCount === undefined ? {} : { thresholds: { retainCount } },
    summarize === true ? { summarizer: 'model' } : {},
    settings ?? {},
  ];
  const merged = layers.reduce((sum, layer) => merge(sum, layer), {});
  return {
    ...present({ strategy, threshold, target, prompt }),
    ...(summarize === false && { summarize }),
    ...(Object.keys(merged).length > 0 && { settings: merged }),
  };
}

/** A dry run of a compaction under these overrides. Its plan is kept, to be shown, changed and committed. */
export async function dryRun(
  service: Service,
  session: Session,
  asked: AskedRun,
  signal?: AbortSignal,
): Promise<DryRunReport> {
  const run = await session.operator.plan({ ...overridesOf(asked), ...present({ signal }) });
  if (run.kind === 'planned') await keepPlan(service.store, session, run.plan!, Date.now());
  return run;
}

/** Compacts now, under these overrides. */
export const compactNow = ({ operator }: Session, asked: AskedRun): Promise<RunReport> =>
  operator.compact(overridesOf(asked));
