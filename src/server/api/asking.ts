import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import type { RecallRequest } from '../../session/index.js';
import { recalledText } from '../../session/index.js';
import type { Service } from '../service.js';
import { paged, sessionOf } from './asked.js';
import { AgentQuery, PageQuery, RecallBody, SessionParams } from './requests.js';
import { AuditEvent, CallRecord, Costs, Disposition, Finding, NetCost, pageOf, Recalled } from './schemas.js';

const tags = ['asking'];
const config = { role: 'viewer' } as const;
const CallNumber = z.coerce.number().int().min(1);

/** Answers what became of messages, what calls were sent, what was said originally, and what it all cost. */
export const askingRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/sessions/:id/explain',
      {
        config,
        schema: {
          tags,
          summary: 'What became of every message, by whom and why: now, or in the call of that number.',
          params: SessionParams,
          querystring: AgentQuery.extend({ call: CallNumber.optional() }),
          response: { 200: z.object({ call: CallRecord.optional(), messages: z.array(Disposition) }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { call } = request.query;
        if (call === undefined) {
          await session.load();
          return { messages: session.operator.explain() } as never;
        }
        const explained = await session.operator.explainCall(call);
        return { call: explained.call, messages: explained.messages } as never;
      },
    );

    app.get(
      '/sessions/:id/find',
      {
        config,
        schema: {
          tags,
          summary:
            'Were these words sent in a call, compacted out of it, said later, or never? The newest call where none is named.',
          params: SessionParams,
          querystring: AgentQuery.extend({ words: z.string().min(1), call: CallNumber.optional() }),
          response: { 200: Finding },
        },
      },
      async (request) => {
        const { words, call } = request.query;
        return (await (await sessionOf(service, request)).operator.find(words, call)) as never;
      },
    );

    app.get(
      '/sessions/:id/calls',
      {
        config,
        schema: {
          tags,
          summary: 'Calls of the agent that were observed, newest first.',
          params: SessionParams,
          querystring: AgentQuery.extend(PageQuery.shape),
          response: { 200: pageOf(CallRecord) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        await session.load();
        return paged(session.operator.calls.toReversed(), request.query) as never;
      },
    );

    app.post(
      '/sessions/:id/recall',
      {
        config,
        schema: {
          tags,
          summary: 'Reads back the original words of anything in the log, by handle or by words.',
          params: SessionParams,
          querystring: AgentQuery,
          body: RecallBody,
          response: {
            200: z.object({
              items: z.array(Recalled),
              text: z.string().describe('As the tool answers a model.'),
            }),
          },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { max_tokens: maxTokens, ...asked } = request.body;
        const items = await session.recall({ ...asked, maxTokens } as RecallRequest);
        return { items, text: recalledText(items) } as never;
      },
    );

    app.get(
      '/sessions/:id/audit',
      {
        config,
        schema: {
          tags,
          summary: 'What happened to compaction in the session, newest first.',
          params: SessionParams,
          querystring: AgentQuery.extend(PageQuery.shape),
          response: { 200: pageOf(AuditEvent) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        return paged((await session.operator.audit()).toReversed(), request.query) as never;
      },
    );

    app.get(
      '/sessions/:id/costs',
      {
        config,
        schema: {
          tags,
          summary: 'What the session spent, agent and compactor apart, and whether each compaction pays.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 200: z.object({ costs: Costs, net: z.array(NetCost) }) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        await session.load();
        return { costs: session.operator.costs, net: session.operator.netCosts } as never;
      },
    );
  };
