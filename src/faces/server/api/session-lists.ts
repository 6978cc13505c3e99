import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod/v4';
import { valueOrFault } from '../../../errors/index.js';
import type { Session } from '../../../session/index.js';
import type { ThreadInfo } from '../../../spi/index.js';
import { maySee, type Caller } from '../access.js';
import { sessionUnknown, type Service } from '../service.js';
import type { PageQuery } from './requests.js';

/** The session that a request names. Rejects with `SESSION_UNKNOWN`, also if the caller may not see the session. */
export async function sessionOf(service: Service, request: FastifyRequest): Promise<Session> {
  const { params, query, body, caller } = request;
  const { id } = params as { readonly id: string };
  checkVisible(caller, id);
  // The body comes last, because the query always has an agent path, by its default.
  const asked = { ...(query as object), ...(body as object) } as { readonly agent_path?: string };
  const { agent_path: agentPath = 'primary' } = asked;
  const session = await service.session({ sessionId: id, agentPath });
  request.notes.setSession(session);
  return session;
}

/** Throws `SESSION_UNKNOWN` for another tenant's session, so that its existence is not revealed. */
export function checkVisible(caller: Caller, id: string): void {
  if (!maySee(caller, id)) throw sessionUnknown({ sessionId: id, agentPath: 'primary' });
}

export type PageRequest = z.output<typeof PageQuery>;

/** A page of a complete list. With the newest first, a cursor counts from the end, so new items do not shift pages. */
export function paged<Item>(
  all: readonly Item[],
  { limit, cursor }: PageRequest,
  order: 'oldest first' | 'newest first',
) {
  const isReversed = order === 'newest first';
  const at = Number(cursor ?? 0);
  const from = isReversed && cursor !== undefined ? Math.max(0, all.length - at) : at;
  const items = all.slice(from, from + limit);
  const end = from + items.length;
  return {
    items,
    total: all.length,
    ...(end < all.length && { next: String(isReversed ? all.length - end : end) }),
  };
}

/** Newest first. What was written to since the first page comes (again) behind the others: no reader misses it. */
export function pagedThreads(all: readonly ThreadInfo[], { limit, cursor }: PageRequest) {
  const newest = all[0]?.updatedAt ?? 0;
  const [after = -1, upTo = newest, at] = cursor?.split('_').map(Number) ?? [];
  const among = all.filter(({ updatedAt }) => updatedAt > after && updatedAt <= upTo);
  const { items, next } = paged(among, { limit, cursor: at?.toString() }, 'newest first');
  const rest = next ? `${after}_${upTo}_${next}` : newest > upTo ? `${upTo}_${newest}` : undefined;
  return { items, total: all.length, ...(rest !== undefined && { next: rest }) };
}

/** Sessions that are read at the same time, because each may be read whole. */
const PARALLEL_READS = 4;

/** Asks the same of many sessions, a few at a time. */
export async function askEach<Thread, T>(
  threads: readonly Thread[],
  ask: (thread: Thread) => Promise<T>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  for (let from = 0; from < threads.length; from += PARALLEL_READS) {
    answers.push(...(await Promise.all(threads.slice(from, from + PARALLEL_READS).map(ask))));
    // A pause, because a store may answer thousands of times without one.
    await setImmediate();
  }
  return answers;
}

/** Like `askEach`, for readable sessions, with the number of unreadable ones. A damaged session affects no other. */
export async function askReadable<Thread, T>(
  threads: readonly Thread[],
  ask: (thread: Thread) => Promise<T>,
): Promise<{ readonly values: readonly T[]; readonly skipped: number }> {
  const asked = await askEach(threads, (thread) => valueOrFault(ask(thread)));
  const values = asked.flatMap((one) => ('value' in one ? [one.value] : []));
  return { values, skipped: asked.length - values.length };
}
