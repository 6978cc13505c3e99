import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import { listSessions, type ListedSession } from '../../session/index.js';
import { maySee, ownId } from '../access.js';
import { goneOf } from '../gone.js';
import type { Service } from '../service.js';
import { messageUnknown, paged, sessionOf } from './asked.js';
import { summaryOf } from './figures.js';
import { shown } from './shown.js';
import {
  AgentQuery,
  CreateBody,
  flagText,
  PageQuery,
  PrepareBody,
  SessionParams,
  UsageBody,
} from './requests.js';
import {
  CallRecord,
  Message,
  pageOf,
  Reading,
  SessionSummary,
  ShownMessage,
  TranscriptEntry,
} from './schemas.js';

const tags = ['sessions'];
const Figures = z.object({
  figures: flagText
    .default(true)
    .describe('With pressure, compactions and costs, which costs opening each session.'),
});

/** Lists, makes, reads and feeds sessions. */
export const sessionRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    const summary = async (listed: ListedSession, figures: boolean): Promise<object> => {
      const { sessionId, agentPath } = listed;
      const about = await service.about({ sessionId, agentPath });
      return summaryOf(listed, about, figures ? await service.session({ sessionId, agentPath }) : undefined);
    };

    app.get(
      '/sessions',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'Sessions, the one written to last first; each agent of one by itself.',
          querystring: PageQuery.extend(Figures.shape),
          response: { 200: pageOf(SessionSummary) },
        },
      },
      async (request) => {
        const all = await service.store.threads();
        const page = paged(
          all.filter(({ sessionId }) => maySee(request.caller, sessionId)),
          request.query,
        );
        const names = new Set(page.items.map(({ sessionId }) => sessionId));
        const listed = (
          await Promise.all([...names].map((sessionId) => listSessions(service.store, { sessionId })))
        ).flat();
        const items = await Promise.all(
          page.items.map((thread) =>
            summary(
              listed.find((one) => one.sessionId === thread.sessionId && one.agentPath === thread.agentPath)!,
              request.query.figures,
            ),
          ),
        );
        return { ...page, items } as never;
      },
    );

    app.post(
      '/sessions',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary:
            'Makes a session for a client that uses this API itself; one that is there is left as it is, and refused (409) where it speaks another format.',
          body: CreateBody,
          response: { 200: z.object({ id: z.string(), agentPath: z.string(), format: z.string() }) },
        },
      },
      async (request) => {
        const { id = randomUUID(), agent_path: agentPath, format, model } = request.body;
        const session = await service.sessionFor(
          { sessionId: ownId(request.caller, id), agentPath },
          { ...(format !== undefined && { format }), model },
        );
        return { id: session.id, agentPath, format: session.format };
      },
    );

    app.get(
      '/sessions/:id',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'A session with its figures.',
          params: SessionParams,
          querystring: AgentQuery,
          response: { 200: SessionSummary },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const listed = (await listSessions(service.store, { sessionId: session.id })).find(
          ({ agentPath }) => agentPath === session.agentPath,
        )!;
        return (await summary(listed, true)) as never;
      },
    );

    app.get(
      '/sessions/:id/messages',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary:
            'The messages as the model is sent them; with include_superseded those too that it no longer sees.',
          params: SessionParams,
          querystring: AgentQuery.extend(PageQuery.shape).extend({
            include_superseded: flagText.default(false),
          }),
          response: { 200: pageOf(TranscriptEntry) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const includeSuperseded = request.query.include_superseded;
        return paged(await session.operator.transcript({ includeSuperseded }), request.query) as never;
      },
    );

    app.get(
      '/sessions/:id/messages/:message',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary: 'One message of the log in its original words, superseded or not.',
          params: SessionParams.extend({ message: z.string().min(1) }),
          querystring: AgentQuery,
          response: { 200: Message },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const entries = await session.operator.transcript({ includeSuperseded: true });
        const found = entries.find(({ message }) => message.id === request.params.message);
        if (!found) throw messageUnknown(request.params.message);
        return found.message as never;
      },
    );

    app.get(
      '/sessions/:id/context',
      {
        config: { role: 'viewer' },
        schema: {
          tags,
          summary:
            'What would be sent now, message by message, and what each stands for; or what was, in the call of that number.',
          params: SessionParams,
          querystring: AgentQuery.extend({ call: z.coerce.number().int().min(1).optional() }),
          response: {
            200: z.object({
              reading: Reading.optional(),
              call: CallRecord.optional(),
              messages: z.array(ShownMessage),
            }),
          },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { call } = request.query;
        if (call === undefined)
          return { reading: session.reading, messages: session.view.map(shown) } as never;
        const explained = await session.operator.explainCall(call);
        return { call: explained.call, messages: explained.view.map(shown) } as never;
      },
    );

    app.post(
      '/sessions/:id/prepare',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'The request for the next call: takes in what is new, compacts where pressure says so.',
          params: SessionParams,
          body: PrepareBody,
          response: {
            200: z.looseObject({ call: z.number(), messages: z.array(z.unknown()), reading: Reading }),
          },
        },
      },
      async (request, reply) => {
        const { request: body, model, max_output_tokens: maxOutputTokens } = request.body;
        const session = await sessionOf(service, request);
        const signal = goneOf(reply);
        const followed = body && (await session.follow(body));
        const { call, messages, beside, reading, run, notices } = await session.prepare({
          signal,
          ...(model !== undefined && { model }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        });
        const taken = followed && { appended: followed.appended.length, rewound: followed.rewound };
        return { call, messages, beside, reading, run, notices, ...taken } as never;
      },
    );

    app.post(
      '/sessions/:id/observe',
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: 'What the provider reported for the newest request.',
          params: SessionParams,
          querystring: AgentQuery,
          body: UsageBody,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const session = await sessionOf(service, request);
        const { body } = request;
        await session.observe({
          inputTokens: body.input_tokens,
          cacheReadTokens: body.cache_read_tokens,
          cacheWriteTokens: body.cache_write_tokens,
          outputTokens: body.output_tokens,
        });
        return reply.code(204).send(null);
      },
    );
  };
