import { NO_SIZE } from '../../../transcript/index.js';
import { formatNamed, isFields, jsonText } from '../../../formats/index.js';
import type { Places, SessionRequest } from './place.js';

/**
 * The body of a `count_tokens` request as it would be sent: what the session was compacted to, and behind it what is new.
 * Changes nothing. Undefined where the history is of no session that is known, which is then counted as it is.
 */
export async function countTokens(places: Places, asked: SessionRequest): Promise<string | undefined> {
  const known = await places.known(asked);
  if (!known) return undefined;
  const { view } = known.session;
  if (view.every(({ source, replaced }) => source && !replaced)) return undefined;
  const fresh = known.fresh.map((message) => ({ message, size: UNMEASURED, from: 0, to: 0 }));
  const { messages, beside = {} } = formatNamed('anthropic').serialise([...view, ...fresh]);
  const { body } = asked;
  return jsonText({ ...body, ...(isFields(beside) && body.system === undefined && beside), messages });
}

/** Nothing is weighed here. */
const UNMEASURED = { ...NO_SIZE, parts: [] };
