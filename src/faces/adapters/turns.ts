import { lastAnswer, type RecallTurn, takeTurn, type Turn } from '../endpoints/index.js';
import { isFields } from '../../formats/index.js';
import type { DropInOptions } from './options.js';
import type { Resolved } from './session-for.js';
import type { Session } from '../../session/index.js';

/**
 * One request of a client that sends its whole history: what is new goes into the session, what fits is sent, and what
 * the provider finds too long is compacted and sent once more. Requests of one session go one after the other; one that
 * holds another conversation goes its own way beside them. `alone` sends a request that belongs to no session, as it is.
 */
export async function turnOf<Request, Answer>(
  sessionFor: Resolved<Request>,
  request: Request,
  turn: Turn<Answer>,
  alone: () => Answer | PromiseLike<Answer>,
): Promise<Answer> {
  const given = await sessionFor(request);
  if (!given) return alone();
  for (;;) {
    const session = await pathOf(given, turn.body);
    const taken = await session.turn(async (flight) => {
      // Asked again: the turn before this one may have begun another conversation.
      if (await session.isStranger(turn.body)) return undefined;
      return { answer: (await takeTurn({ session, flight }, turn)) as Answer };
    });
    if (taken) return taken.answer;
  }
}

/** Recalls that an agent may make within one call, where the host does not say. */
const MOST_RECALLS = 4;

/** A model that recalls for ever is ended at last, whatever the host says. */
const HIGHEST = 100;

/** How many, by the option of a drop-in. */
export const mostRecalls = (recall: DropInOptions['recall']): number =>
  recall === true ? MOST_RECALLS : Math.min(recall || 0, HIGHEST);

/** The model's answer, its recalls answered: the client's own object with other fields, so what its library hung on it stays. */
export async function recalledAnswer<Answer>(first: Answer, turn: RecallTurn<Answer>): Promise<Answer> {
  const { last, visible } = await lastAnswer(first, turn, (one) => (isFields(one) ? one : undefined));
  return visible ? Object.assign(last as object, visible as Answer) : last;
}

/** Conversations beside that of a session which are remembered; the one asked least recently goes first. */
const MOST_ASIDES = 8;

/** Newest first. */
const asides = new WeakMap<Session, readonly Session[]>();

/**
 * The session itself, or where the body holds another conversation (a title that is to be found, a side question, a new
 * chat through the same client) one beside it, which lives as long as the process. The session is left as it was.
 */
async function pathOf(session: Session, body: unknown): Promise<Session> {
  if (!(await session.isStranger(body))) return session;
  const known = asides.get(session) ?? [];
  let path: Session | undefined;
  for (const aside of known) if (!path && !(await aside.isStranger(body))) path = aside;
  path ??= session.aside();
  // Read again: another request may have made one meanwhile.
  const others = (asides.get(session) ?? []).filter((one) => one !== path);
  asides.set(session, [path, ...others].slice(0, MOST_ASIDES));
  return path;
}
