import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { RecallRequest } from '../../session/index.js';
import { recalledText } from '../../session/index.js';
import type { Service } from '../service.js';
import { paged } from './asked.js';
import { AgentQuery, CallNumber, PagedAgentQuery, RecallBody } from './requests.js';
import { routesOf } from './route.js';
import { AuditEvent, CallRecord, Costs, Disposition, Finding, NetCost, pageOf, Recalled } from './schemas.js';

/** Answers what became of messages, what calls were sent, what was said originally, and what it all cost. */
export function askingRoutes(app: FastifyInstance, service: Service): void {
  const { sessionRoute } = routesOf(app, service, 'asking');

  sessionRoute(
    'GET /sessions/:id/explain',
    {
      summary: 'What became of every message, by whom and why: now, or in the call of that number.',
      query: AgentQuery.extend({ call: CallNumber.optional() }),
      answer: z.object({ call: CallRecord.optional(), messages: z.array(Disposition) }),
    },
    async ({ session, query }) => {
      if (query.call === undefined) {
        await session.load();
        return { messages: session.operator.explain() };
      }
      const { call, messages } = await session.operator.explainCall(query.call);
      return { call, messages };
    },
  );

  sessionRoute(
    'GET /sessions/:id/find',
    {
      summary:
        'Were these words sent in a call, compacted out of it, said later, or never? The newest call where none is named.',
      query: AgentQuery.extend({ words: z.string().min(1), call: CallNumber.optional() }),
      answer: Finding,
    },
    ({ session, query }) => session.operator.find(query.words, query.call),
  );

  sessionRoute(
    'GET /sessions/:id/calls',
    {
      summary: 'Calls of the agent that were observed, newest first.',
      query: PagedAgentQuery,
      answer: pageOf(CallRecord),
    },
    async ({ session, query }) => {
      await session.load();
      return paged(session.operator.calls.toReversed(), query);
    },
  );

  sessionRoute(
    'POST /sessions/:id/recall',
    {
      role: 'viewer',
      summary: 'Reads back the original words of anything in the log, by handle or by words.',
      body: RecallBody,
      answer: z.object({
        items: z.array(Recalled),
        text: z.string().describe('As the tool answers a model.'),
      }),
    },
    async ({ session, body: { max_tokens: maxTokens, ...asked } }) => {
      const items = await session.recall({ ...asked, maxTokens } as RecallRequest);
      return { items, text: recalledText(items) };
    },
  );

  sessionRoute(
    'GET /sessions/:id/audit',
    {
      summary: 'What happened to compaction in the session, newest first.',
      query: PagedAgentQuery,
      answer: pageOf(AuditEvent),
    },
    async ({ session, query }) => paged((await session.operator.audit()).toReversed(), query),
  );

  sessionRoute(
    'GET /sessions/:id/costs',
    {
      summary: 'What the session spent, agent and compactor apart, and whether each compaction pays.',
      answer: z.object({ costs: Costs, net: z.array(NetCost) }),
    },
    async ({ session }) => {
      await session.load();
      return { costs: session.operator.costs, net: session.operator.netCosts };
    },
  );
}
