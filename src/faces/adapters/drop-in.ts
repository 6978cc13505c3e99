import { inTurn, lastAnswer, takeTurn, type RecallTurn, type Turn } from '../endpoints/index.js';
import { either, FUNCTION, having, SpillwayError, type Kind } from '../../errors/index.js';
import { formatNamed, isFields } from '../../formats/index.js';
import type { Session, Spillway } from '../../session/index.js';

/* What all drop-ins have in common: what they are told, the session of a request, and its turn. */

/** What every drop-in may be told beside its session. */
export interface DropInOptions {
  /**
   * A message of the user that is nothing but `/compact` compacts the session, and is answered here. Off by default: in
   * front of end users it is text like any other.
   */
  readonly commands?: boolean;
  /**
   * Offers the model a tool that reads back what was compacted, and answers it within the call: so many times at most, four
   * for `true`. The client sees one answer or one stream, its usage summed, and nothing of the tool; the log has it all.
   */
  readonly recall?: boolean | number;
}

/**
 * The session of a request: one for all; an engine, which makes one of the right format; or a function from a request to
 * its session, which may give none: such a request is sent as it is.
 */
export type SessionFor<Request> =
  Session | Pick<Spillway, 'session'> | ((request: Request) => SessionOrNone | PromiseLike<SessionOrNone>);

type SessionOrNone = Session | undefined;

/** Finds the session of a request. Rejects with `SESSION_FORMAT` where it speaks another format than the client. */
export type Resolved<Request> = (request: Request) => Promise<SessionOrNone>;

/** What `SessionFor` is where nothing checked types. */
export const SESSION_FOR: Kind = {
  ...either(having({ session: FUNCTION }), having({ follow: FUNCTION, turn: FUNCTION }), FUNCTION),
  words: 'an engine, a session, or a function from a request to its session',
};

/**
 * Binds a drop-in to its session. Throws `SESSION_FORMAT` at once where one session of another format is given: its
 * requests would be legal until the first compaction, and refused from then on. `ARGUMENT_INVALID` where it is none.
 */
export function resolveSession<Request>(
  given: SessionFor<Request>,
  format: string,
  dropIn: string,
): Resolved<Request> {
  if (!SESSION_FOR.is(given))
    throw new SpillwayError('ARGUMENT_INVALID', {
      subject: `session given to ${dropIn}`,
      found: given ?? String(given),
      allowed: SESSION_FOR.words,
      remedy: 'Pass what createSpillway resolves to; wait for it first.',
    });
  if (typeof given === 'function')
    return async (request) => {
      const session = await given(request);
      if (session) checkFormat(session, format, dropIn);
      return session;
    };
  const session = 'session' in given ? given.session({ format }) : given;
  checkFormat(session, format, dropIn);
  return () => Promise.resolve(session);
}

function checkFormat(session: Session, format: string, dropIn: string): void {
  if (session.format === format) return;
  throw new SpillwayError('SESSION_FORMAT', {
    subject: `session "${session.id}" given to ${dropIn}`,
    found: session.format,
    allowed: format,
    remedy: `Make it with spillway.session({ format: '${format}' }), or give ${dropIn} the engine itself.`,
  });
}

/**
 * One request of a client that sends its whole history: what is new goes into the session, what fits is sent, and what
 * the provider finds too long is compacted and sent once more. Requests of one session go one after the other; one that
 * holds another conversation, or the very history that is under way, goes its own way beside them. `alone` sends a
 * request that belongs to no session, as it is; `givenUp` answers one that was aborted before it was sent.
 */
export async function turnOf<Request, Answer>(
  sessionFor: Resolved<Request>,
  request: Request,
  turn: Turn<Answer>,
  alone: () => Answer | PromiseLike<Answer>,
  givenUp = (): Answer | PromiseLike<Answer> => Promise.reject(turn.signal?.reason as Error),
): Promise<Answer> {
  const given = await sessionFor(request);
  if (!given) return alone();
  return untilGivenUp(turn, givenUp, async (own) => {
    for (;;) {
      const path = await pathOf(given, turn.body);
      const taken = await inTurn(path, historyIn(turn.body, path), async (place) => {
        // Nobody waits for it any more.
        turn.signal?.throwIfAborted();
        // Asked again: the turn before this one may have begun another conversation.
        if (await place.session.isStranger(turn.body)) return undefined;
        return { answer: (await takeTurn(place, own)) as Answer };
      });
      if (taken) return taken.answer;
    }
  });
}

/** Who gives a request up before it is sent waits for no other call of the session, and nothing is sent. */
async function untilGivenUp<Answer>(
  turn: Turn<Answer>,
  givenUp: () => Answer | PromiseLike<Answer>,
  take: (own: Turn<Answer>) => Promise<Answer>,
): Promise<Answer> {
  const { signal } = turn;
  if (!signal) return take(turn);
  if (signal.aborted) return givenUp();
  let isSent = false;
  let giveUp: (() => void) | undefined;
  const ended = new Promise<Answer>((resolve) => {
    giveUp = () => isSent || resolve((async () => givenUp())());
    signal.addEventListener('abort', giveUp, { once: true });
  });
  const send: Turn<Answer>['send'] = (request, place) => {
    if (!isSent) signal.throwIfAborted();
    isSent = true;
    return turn.send(request, place);
  };
  try {
    return await Promise.race([take({ ...turn, send }), ended]);
  } finally {
    signal.removeEventListener('abort', giveUp!);
  }
}

function historyIn(body: unknown, { format }: Session): readonly unknown[] {
  const history = isFields(body) ? body[formatNamed(format).messagesField] : body;
  return Array.isArray(history) ? history : [history];
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
