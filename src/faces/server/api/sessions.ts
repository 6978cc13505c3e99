import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { valueOrFault, SpillwayError } from '../../../errors/index.js';
import { type ListedSession, listSessions, type Session } from '../../../session/index.js';
import type { LogMessage } from '../../../transcript/index.js';
import { maySee, ownId } from '../access.js';
import { disconnectSignal } from '../disconnect.js';
import type { Service } from '../service.js';
import { askEach, paged, pagedThreads } from './session-lists.js';
import * as takes from './requests.js';
import { routesOf } from './route.js';
import { historyCheck } from '../../endpoints/index.js';
import * as verbs from '../../operations/index.js';
import { oneLine, userWordsIn } from '../../../text/reading/index.js';

/** Most times that a request is prepared again, because another client may change the session's history each time. */
const MAX_ROUNDS = 8;

const Figures = z.object({
  figures: verbs.flagText
    .default(true)
    .describe('Include pressure, compactions and costs. This opens each session.'),
});

/** Routes that list, make, read and feed sessions. */
export function sessionRoutes(app: FastifyInstance, service: Service): void {
  const { route, sessionRoute, verbRoute } = routesOf(app, service, 'sessions');
  const summary = async (listed: ListedOrNew, figures: boolean): Promise<object> => {
    const { sessionId, agentPath } = listed;
    const info = await service.storedInfo({ sessionId, agentPath });
    return summaryOf(listed, info, figures ? await service.session({ sessionId, agentPath }) : undefined);
  };
  /** A session in a list. If the session cannot be read, it has no figures but the code of its fault. */
  const summaryAmong = async (listed: ListedSession, figures: boolean): Promise<object> => {
    const { fault } = listed;
    const said = fault === undefined ? await valueOrFault(summary(listed, figures)) : { fault };
    return 'value' in said ? said.value : { ...(await summaryOf(listed)), fault: said.fault };
  };

  route(
    'GET /sessions',
    {
      summary: 'Sessions, the one written to last first; each agent of one by itself.',
      query: takes.ThreadsQuery.extend(Figures.shape),
      answer: verbs.pageOf(verbs.SessionSummary),
    },
    async ({ caller, query }) => {
      const all = await service.store.threads();
      const seen = all.filter(({ sessionId }) => maySee(caller, sessionId));
      const page = pagedThreads(seen, query);
      const names = new Set(page.items.map(({ sessionId }) => sessionId));
      const listed = (
        await Promise.all([...names].map((sessionId) => listSessions(service.store, { sessionId })))
      ).flat();
      // A session that was deleted since the listing is left out.
      const listedItems = page.items.flatMap(
        (thread) =>
          listed.find((one) => one.sessionId === thread.sessionId && one.agentPath === thread.agentPath) ??
          [],
      );
      const items = await askEach(listedItems, (one) => summaryAmong(one, query.figures));
      return { ...page, items };
    },
  );

  route(
    'POST /sessions',
    {
      summary:
        'Makes a session for a client that uses this API directly. An existing session is left unchanged, and refused (409) if its format differs.',
      query: takes.AgentQuery,
      body: takes.CreateBody,
      answer: z.object({ id: z.string(), agentPath: z.string(), format: z.string() }),
    },
    async ({ caller, query, body, reply }) => {
      const { id = randomUUID(), agent_path: agentPath = query.agent_path, format, model } = body;
      const session = await service.sessionFor(
        { sessionId: ownId(caller, id), agentPath },
        { ...verbs.present({ format }), model },
      );
      reply.request.notes.setSession(session);
      return { id: session.id, agentPath, format: session.format };
    },
  );

  sessionRoute(
    'GET /sessions/:id',
    { summary: 'A session with its figures.', answer: verbs.SessionSummary },
    async ({ session }) => {
      const { id: sessionId, agentPath } = session;
      const listed = await listSessions(service.store, { sessionId });
      // A new session without messages is in no list.
      const made = { sessionId, agentPath, messages: session.log.length };
      return summary(listed.find((one) => one.agentPath === agentPath) ?? made, true);
    },
  );

  verbRoute('GET /sessions/:id/messages', verbs.messages);
  verbRoute('GET /sessions/:id/messages/:message', verbs.message);
  verbRoute('GET /sessions/:id/context', verbs.context);
  sessionRoute(
    'GET /sessions/:id/log',
    {
      summary:
        'The log in order: how each message begins, and its state now, or in the call with that number.',
      query: takes.PagedAgentQuery.extend({ call: verbs.CallNumber.optional() }),
      answer: verbs.pageOf(verbs.LogEntry),
    },
    async ({ session, query }) => {
      await session.load();
      const { operator } = session;
      const dispositions =
        query.call === undefined ? operator.explain() : (await operator.explainCall(query.call)).messages;
      const page = paged(dispositions, query, 'oldest first');
      const messages = new Map(
        (await operator.transcript({ includeSuperseded: true })).map(({ message }) => [message.id, message]),
      );
      const items = page.items.map((one) => ({ ...one, ...beginningOf(messages.get(one.id) as LogMessage) }));
      return { ...page, items };
    },
  );

  sessionRoute(
    'POST /sessions/:id/prepare',
    {
      summary: 'The request for the next call: takes in what is new, compacts where pressure says so.',
      body: takes.PrepareBody,
      answer: z.looseObject({ call: z.number(), messages: z.array(z.unknown()), reading: verbs.Reading }),
    },
    ({ session, body, reply }) => {
      const { request, model, max_output_tokens: maxOutputTokens } = body;
      const signal = disconnectSignal(reply);
      // In turn: two histories that were prepared at the same time would roll back each other's messages.
      return session.turn(async () => {
        for (let round = 0; ; round++) {
          const followed = request && (await session.follow(request));
          const isCurrent = followed && historyCheck(session, followed);
          const { call, messages, beside, reading, run, notices } = await session.prepare({
            signal,
            ...verbs.present({ model, maxOutputTokens }),
          });
          // The session was rolled back or got another history: the request lacks this client's newest message.
          if (isCurrent?.() === false) {
            if (round < MAX_ROUNDS) continue;
            throw new SpillwayError('LEDGER_CONFLICT', {
              subject: `session "${session.id}"`,
              found: 'other messages in it each time that this request was prepared',
              remedy: 'Give each client a session of its own, or try again.',
              retryable: true,
            });
          }
          const taken = followed && { appended: followed.appended.length, rewound: followed.rewound };
          return { call, messages, beside, reading, run, notices, ...taken };
        }
      });
    },
  );

  sessionRoute(
    'POST /sessions/:id/observe',
    { summary: 'What the provider reported for the newest request.', body: takes.UsageBody },
    ({ session, body }) =>
      session.observe({
        inputTokens: body.input_tokens,
        cacheReadTokens: body.cache_read_tokens,
        cacheWriteTokens: body.cache_write_tokens,
        outputTokens: body.output_tokens,
        ...(body.is_sum && { isSum: true }),
      }),
  );
}

type ListedOrNew = Pick<ListedSession, 'sessionId' | 'agentPath' | 'messages'> & Partial<ListedSession>;

/** A session at a glance; with figures if `session` is given, for which the whole session is read. */
async function summaryOf(
  { sessionId, agentPath, messages, createdAt, updatedAt }: ListedOrNew,
  info?: verbs.SessionInfo,
  session?: Session,
): Promise<object> {
  const { format, model = null, forkOf } = info ?? {};
  const known = {
    id: sessionId,
    agentPath,
    messages,
    ...verbs.present({ createdAt, updatedAt }),
    ...(format !== undefined && { format, model }),
    ...(forkOf !== undefined && { forkOf }),
  };
  return session ? { ...known, format: session.format, ...(await figuresOf(session)) } : known;
}

const TITLE_CHARS = 120;
/** If the first messages, up to this number, have no words of a user, the session has no title. */
const MAX_TITLE_MESSAGES = 20;

/** The first words of a user, without text that hosts put around them. */
function titleOf({ log }: Session): string | undefined {
  for (let seq = 0; seq < Math.min(log.length, MAX_TITLE_MESSAGES); seq++) {
    const message = log.at(seq);
    const words = message.role === 'user' ? oneLine(userWordsIn(message), TITLE_CHARS) : '';
    if (words !== '') return words;
  }
  return undefined;
}

async function figuresOf(session: Session): Promise<object> {
  await session.load();
  const title = titleOf(session);
  const { history, netCosts, pending, ledger } = session.operator;
  const flags = { good: 0, bad: 0, neutral: 0 };
  for (const { flag } of history) if (flag) flags[flag] += 1;
  const priced = netCosts.filter(({ netCost }) => netCost !== null);
  return {
    ...(title !== undefined && { title }),
    reading: session.reading,
    compactions: history.length,
    holds: ledger.holds.length,
    flags,
    savedTokens: netCosts.reduce((sum, { savedPerCall }) => sum + savedPerCall, 0),
    net: netCosts.reduce((sum, { net }) => sum + net, 0),
    netCost: priced.length === 0 ? null : priced.reduce((sum, { netCost }) => sum + (netCost ?? 0), 0),
    fallbacks: history.reduce((sum, { fallbacks = [] }) => sum + fallbacks.length, 0),
    costs: session.operator.costs,
    breakers: session.operator.breakers,
    ...(pending && { pending: pending.plan.hash }),
  };
}

/** Characters of each message in a list. */
const PREVIEW_CHARS = 400;

function beginningOf({ parts, origin, label }: LogMessage): object {
  const text = parts.map(verbs.partText).filter(Boolean).join('\n');
  return {
    origin,
    ...(label !== undefined && { label }),
    chars: text.length,
    preview: text.slice(0, PREVIEW_CHARS),
  };
}
