import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod/v4';
import { textOf, type LogMessage, type Part } from '../../transcript/index.js';
import type { Service } from '../service.js';
import { paged, sessionOf } from './asked.js';
import { AgentQuery, PageQuery, SessionParams } from './requests.js';
import { LogEntry, pageOf } from './schemas.js';

/** Characters of a message that a list of them shows. */
const PREVIEW_CHARS = 400;

/** The log as it happened, in pages: each message's beginning, what became of it, by which compaction, and why. */
export const logRoutes =
  (service: Service): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/sessions/:id/log',
      {
        config: { role: 'viewer' },
        schema: {
          tags: ['sessions'],
          summary:
            'The log as it happened: how each message begins, and what became of it by now, or in the call of that number.',
          params: SessionParams,
          querystring: AgentQuery.extend(PageQuery.shape).extend({
            call: z.coerce.number().int().min(1).optional(),
          }),
          response: { 200: pageOf(LogEntry) },
        },
      },
      async (request) => {
        const session = await sessionOf(service, request);
        const { call } = request.query;
        await session.load();
        const { operator } = session;
        const dispositions =
          call === undefined ? operator.explain() : (await operator.explainCall(call)).messages;
        const page = paged(dispositions, request.query);
        const messages = new Map(
          (await operator.transcript({ includeSuperseded: true })).map(({ message }) => [
            message.id,
            message,
          ]),
        );
        const items = page.items.map((one) => ({ ...one, ...beginning(messages.get(one.id) as LogMessage) }));
        return { ...page, items } as never;
      },
    );
  };

function beginning({ parts, origin, label }: LogMessage): object {
  const text = parts.map(wordsOf).filter(Boolean).join('\n');
  return {
    origin,
    ...(label !== undefined && { label }),
    chars: text.length,
    preview: text.slice(0, PREVIEW_CHARS),
  };
}

function wordsOf(part: Part): string {
  if (part.type === 'tool-call') return `${part.name} ${part.arguments}`;
  if (part.type === 'file') return `[${part.mediaType}, ${part.bytes} bytes]`;
  return textOf(part);
}
