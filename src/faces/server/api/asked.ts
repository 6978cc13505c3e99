import type { FastifyRequest } from 'fastify';
import type { Session } from '../../../session/index.js';
import { maySee, type Caller } from '../access.js';
import { sessionUnknown, type Service } from '../service.js';

interface OfSession {
  readonly params: unknown;
  readonly query: unknown;
  readonly body?: unknown;
}

/** The session that a request names, where its caller may see it. Rejects with `SESSION_UNKNOWN`. */
export async function sessionOf(service: Service, request: FastifyRequest): Promise<Session> {
  const { id, agentPath } = namedIn(request);
  checkSeen(request.caller, id);
  return service.session({ sessionId: id, agentPath });
}

/** Somebody else's session is not told apart from one that is not there. Throws `SESSION_UNKNOWN`. */
export function checkSeen(caller: Caller, id: string): void {
  if (!maySee(caller, id)) throw sessionUnknown({ sessionId: id, agentPath: 'primary' });
}

function namedIn({ params, query, body }: OfSession): { readonly id: string; readonly agentPath: string } {
  const { id } = params as { readonly id: string };
  const asked = { ...(query as object), ...(body as object) } as { readonly agent_path?: string };
  return { id, agentPath: asked.agent_path ?? 'primary' };
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly total?: number;
}

/** A page of what is all at hand. */
export function paged<Item>(all: readonly Item[], { limit, cursor }: PageRequest): Page<Item> {
  const from = Number(cursor ?? 0);
  const items = all.slice(from, from + limit);
  const end = from + items.length;
  return { items, total: all.length, ...(end < all.length && { next: String(end) }) };
}
