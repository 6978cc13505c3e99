import type { FastifyInstance } from 'fastify';
import { approve, DryRun, keepPlan, openStored, planVerbs, present, reject } from '../../operations/index.js';
import type { DryRun as DryRunReport, RunOverrides, RunReport, Session } from '../../../session/index.js';
import { merge, type Overrides } from '../engine.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { checkOpen } from './closed.js';
import { PlanBody, type RunOverrides as AskedRun } from './requests.js';
import { routesOf } from './route.js';

/** Makes, shows, changes, commits plans, and answers those that wait. */
export function planRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute, verbRoute } = routesOf(app, service, 'plans');
  const { plans, plan, edit, commit, propose } = planVerbs(service.store);

  sessionRoute(
    'POST /sessions/:id/plans',
    {
      summary:
        'What a compaction would do now, under these settings. Changes nothing; the plan is kept for a while.',
      query: null,
      body: PlanBody,
      answer: DryRun,
    },
    ({ session, body: { agent_path: _, ...asked }, reply }) =>
      planned(service, session, asked, goneOf(reply)),
  );

  verbRoute('GET /sessions/:id/plans', plans);
  verbRoute('GET /sessions/:id/plans/:hash', plan);
  verbRoute('PATCH /sessions/:id/plans/:hash', edit, { needsBody: true });
  verbRoute('POST /sessions/:id/plans/:hash/commit', commit);
  verbRoute('POST /sessions/:id/plans/:hash/propose', propose);
  verbRoute('POST /sessions/:id/plans/:hash/approve', approve);
  verbRoute('POST /sessions/:id/plans/:hash/reject', reject);
}

/** What a body asks for, in the words of the library; `settings` are those that only another engine can have. */
function askedBy(asked: AskedRun): { readonly overrides: RunOverrides; readonly settings?: Overrides } {
  const { strategy, summarize, prompt, settings } = asked;
  const { upper_threshold: threshold, lower_threshold: target, retain_count: retainCount } = asked;
  checkOpen([], settings);
  checkOpen(['compaction', 'prompt'], prompt);
  const layers: readonly object[] = [
    retainCount === undefined ? {} : { thresholds: { retainCount } },
    summarize === true ? { summarizer: 'model' } : {},
    settings ?? {},
  ];
  const merged = layers.reduce((sum, layer) => merge(sum as never, layer as never), {});
  return {
    overrides: {
      ...present({ strategy, threshold, target, prompt }),
      ...(summarize === false && { summarize }),
    },
    ...(Object.keys(merged).length > 0 && { settings: merged as Overrides }),
  };
}

/** Does it with the session as these settings would have it, on the same store; what is planned there holds in the session itself. */
async function planningSession<T>(
  service: Service,
  { id, agentPath }: Session,
  settings: Overrides,
  act: (planner: Session) => Promise<T>,
): Promise<T> {
  const spillway = await service.engineWith(settings);
  try {
    return await act(await openStored(spillway, { sessionId: id, agentPath }));
  } finally {
    await spillway.close();
  }
}

/** What a compaction would do under these overrides; its plan is kept, to be looked at, changed and committed. */
export async function planned(
  service: Service,
  session: Session,
  asked: AskedRun,
  signal?: AbortSignal,
): Promise<DryRunReport> {
  const { overrides, settings } = askedBy(asked);
  const plan = ({ operator }: Session): Promise<DryRunReport> =>
    operator.plan({ ...overrides, ...present({ signal }) });
  const run = await (settings ? planningSession(service, session, settings, plan) : plan(session));
  if (run.kind === 'planned') await keepPlan(service.store, session, run.plan!, Date.now());
  return run;
}

/** Compacts now, under these overrides. */
export function compacted(service: Service, session: Session, asked: AskedRun): Promise<RunReport> {
  const { overrides, settings } = askedBy(asked);
  return settings
    ? planningSession(service, session, settings, (planner) =>
        session.operator.compactAs(planner.operator, overrides),
      )
    : session.operator.compact(overrides);
}
