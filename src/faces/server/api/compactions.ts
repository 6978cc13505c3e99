import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import * as verbs from '../../operations/index.js';
import type { CompactionRecord } from '../../../transcript/index.js';
import { maySee } from '../access.js';
import { disconnectSignal } from '../disconnect.js';
import type { Service } from '../service.js';
import { askReadable, paged } from './session-lists.js';
import { CompactBody, PagedAgentQuery } from './requests.js';
import { routesOf } from './route.js';
import { compactNow, dryRun } from './plans.js';

/** Sessions that are added up, the most recently written first, because each is read whole. */
const MAX_SAME = 200;

/** Routes that make, judge and undo compactions. */
export function compactionRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute, verbRoute } = routesOf(app, service, 'compactions');

  sessionRoute(
    'POST /sessions/:id/compact',
    {
      summary:
        'Compacts now, regardless of the gates. Overrides hold for this run only. dry_run only shows what would be done.',
      body: CompactBody,
      answer: z.union([verbs.RunReport, verbs.DryRun]),
    },
    ({ session, body: { dry_run: isDry, agent_path: _, ...asked }, reply }) =>
      isDry ? dryRun(service, session, asked, disconnectSignal(reply)) : compactNow(session, asked),
  );

  sessionRoute(
    'GET /sessions/:id/compactions',
    {
      summary: `${verbs.history.summary} Without the edits of their plans: those can be long.`,
      query: PagedAgentQuery.extend({
        full: verbs.flagText.default(false).describe('Include the edits, each with its replacement text.'),
      }),
      answer: verbs.pageOf(verbs.CompactionSummary),
    },
    async ({ session, query }) => {
      const page = paged(await verbs.history.run(session, {}), query, 'newest first');
      return query.full ? page : { ...page, items: page.items.map(summaryOf) };
    },
  );
  verbRoute('GET /sessions/:id/compactions/:cid', verbs.compaction);
  verbRoute('PATCH /sessions/:id/compactions/:cid', verbs.flag);
  verbRoute('POST /sessions/:id/undo', verbs.undo);
  verbRoute('POST /sessions/:id/release', verbs.release);
  verbRoute('POST /sessions/:id/rollback', verbs.rollback);
  verbRoute('GET /sessions/:id/effect', verbs.effect);

  routesOf(app, service, 'project').route(
    'GET /effect',
    {
      summary: `The same of all sessions; of the ${MAX_SAME} written to last where there are more.`,
      answer: verbs.Effect.extend({ skipped: verbs.Skipped }),
    },
    async ({ caller }) => {
      const threads = (await service.store.threads()).filter(({ sessionId }) => maySee(caller, sessionId));
      const { values, skipped } = await askReadable(threads.slice(0, MAX_SAME), async ({ head: _, ...key }) =>
        verbs.history.run(await service.session(key), {}),
      );
      return { ...verbs.effectOf(values.flat()), skipped };
    },
  );
}

function summaryOf({ plan: { edits: _, ...plan }, ...record }: CompactionRecord): object {
  return { ...record, plan };
}
