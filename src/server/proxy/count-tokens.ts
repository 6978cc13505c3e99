import type { FastifyRequest } from 'fastify';
import { formatNamed, isFields, jsonText, type Fields } from '../../wire/index.js';
import type { Places } from './place.js';

/**
 * The body of a `count_tokens` request as it would be sent: what the session was compacted to, and behind it what is new.
 * Changes nothing. Undefined where the history is of no session that is known, which is then counted as it is.
 */
export async function countTokens(
  places: Places,
  request: FastifyRequest,
  body: Fields | undefined,
): Promise<string | undefined> {
  if (!body || !Array.isArray(body.messages)) return undefined;
  const messages = body.messages as readonly unknown[];
  const known = places.known(request.caller, 'anthropic', messages);
  if (!known) return undefined;
  const session = await known.session;
  if (session.view.every(({ source, replaced }) => source && !replaced)) return undefined;
  const { messages: sent, beside = {} } = formatNamed('anthropic').serialise(session.view);
  return jsonText({
    ...body,
    ...(isFields(beside) && body.system === undefined && beside),
    messages: [...sent, ...messages.slice(known.common)],
  });
}
