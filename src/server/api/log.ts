import type { FastifyInstance } from 'fastify';
import { textOf, type LogMessage, type Part } from '../../transcript/index.js';
import type { Service } from '../service.js';
import { paged } from './asked.js';
import { CallNumber, PagedAgentQuery } from './requests.js';
import { routesOf } from './route.js';
import { LogEntry, pageOf } from './schemas.js';

/** Characters of a message that a list of them shows. */
const PREVIEW_CHARS = 400;

/** The log as it happened, in pages: each message's beginning, what became of it, by which compaction, and why. */
export function logRoutes(app: FastifyInstance, service: Service): void {
  routesOf(app, service, 'sessions').sessionRoute(
    'GET /sessions/:id/log',
    {
      summary:
        'The log as it happened: how each message begins, and what became of it by now, or in the call of that number.',
      query: PagedAgentQuery.extend({ call: CallNumber.optional() }),
      answer: pageOf(LogEntry),
    },
    async ({ session, query }) => {
      await session.load();
      const { operator } = session;
      const dispositions =
        query.call === undefined ? operator.explain() : (await operator.explainCall(query.call)).messages;
      const page = paged(dispositions, query);
      const messages = new Map(
        (await operator.transcript({ includeSuperseded: true })).map(({ message }) => [message.id, message]),
      );
      const items = page.items.map((one) => ({ ...one, ...beginning(messages.get(one.id) as LogMessage) }));
      return { ...page, items };
    },
  );
}

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
