import { inTurn, lastAnswer, takeTurn, type RecallTurn, type Turn } from '../endpoints/index.js';
import { either, FUNCTION, having, SpillwayError, type Kind } from '../../errors/index.js';
import { formatNamed, isFields } from '../../formats/index.js';
import type { Session, Spillway } from '../../session/index.js';

/* Common parts of all drop-ins: options, the session of a request, and the turn of a request. */

/** Options that every drop-in takes in addition to its session. */
export interface DropInOptions {
  /**
   * If true, a user message that is only `/compact` compacts the session and is answered without the model. Off by
   * default: for end users, `/compact` is ordinary text.
   */
  readonly commands?: boolean;
  /**
   * Offers the model a tool that reads back compacted content, and answers up to this many calls (`true`: 4) within the
   * client's call. The client sees one answer or stream with the summed usage; only the log has the recalls.
   */
  readonly recall?: boolean | number;
}

/**
 * The session of a request: one session for all requests; an engine, which makes a session of the right format; or a
 * function from a request to its session. If the function returns `undefined`, the request is sent unchanged.
 */
export type SessionFor<Request> =
  Session | Pick<Spillway, 'session'> | ((request: Request) => SessionOrNone | PromiseLike<SessionOrNone>);

type SessionOrNone = Session | undefined;

/** Finds the session of a request. Rejects with `SESSION_FORMAT` if the session's format is not the client's. */
export type Resolved<Request> = (request: Request) => Promise<SessionOrNone>;

/** `SessionFor` as a check at runtime, for callers without types. */
export const SESSION_FOR: Kind = {
  ...either(having({ session: FUNCTION }), having({ follow: FUNCTION, turn: FUNCTION }), FUNCTION),
  words: 'an engine, a session, or a function from a request to its session',
};

/**
 * Binds a drop-in to its session. Throws `SESSION_FORMAT` at once if one session of another format is given: its
 * requests would be rejected after the first compaction. Throws `ARGUMENT_INVALID` if it is no session.
 */
export function resolveSession<Request>(
  source: SessionFor<Request>,
  format: string,
  dropIn: string,
): Resolved<Request> {
  if (!SESSION_FOR.is(source))
    throw new SpillwayError('ARGUMENT_INVALID', {
      subject: `session given to ${dropIn}`,
      found: source ?? String(source),
      allowed: SESSION_FOR.words,
      remedy: 'Pass the result of createSpillway; await it first.',
    });
  if (typeof source === 'function')
    return async (request) => {
      const session = await source(request);
      if (session) checkFormat(session, format, dropIn);
      return session;
    };
  const session = 'session' in source ? source.session({ format }) : source;
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
 * Handles one request of a client that sends its whole history: appends the new messages to the session, sends what
 * fits, and compacts and resends a request that the provider rejects as too long. Requests of one session are sent one
 * after the other; a request with another conversation, or with the history of a pending request, runs in parallel in a
 * side session. `sendUnchanged` sends a request without a session; `answerAborted` answers one aborted before sending.
 */
export async function turnOf<Request, Answer>(
  sessionFor: Resolved<Request>,
  request: Request,
  turn: Turn<Answer>,
  sendUnchanged: () => Answer | PromiseLike<Answer>,
  answerAborted = (): Answer | PromiseLike<Answer> => Promise.reject(turn.signal?.reason as Error),
): Promise<Answer> {
  const session = await sessionFor(request);
  if (!session) return sendUnchanged();
  return untilAborted(turn, answerAborted, async (own) => {
    for (;;) {
      const conversation = await conversationOf(session, turn.body);
      const result = await inTurn(conversation, historyIn(turn.body, conversation), async (place) => {
        // The caller may have aborted the request while it waited.
        turn.signal?.throwIfAborted();
        // Checked again, because the previous turn may have started another conversation.
        if (await place.session.isStranger(turn.body)) return undefined;
        return { answer: (await takeTurn(place, own)) as Answer };
      });
      if (result) return result.answer;
    }
  });
}

/** If the caller aborts before the request is sent, answers without waiting for other calls, and sends nothing. */
async function untilAborted<Answer>(
  turn: Turn<Answer>,
  answerAborted: () => Answer | PromiseLike<Answer>,
  take: (own: Turn<Answer>) => Promise<Answer>,
): Promise<Answer> {
  const { signal } = turn;
  if (!signal) return take(turn);
  if (signal.aborted) return answerAborted();
  let isSent = false;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<Answer>((resolve) => {
    onAbort = () => isSent || resolve((async () => answerAborted())());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  const send: Turn<Answer>['send'] = (request, place) => {
    if (!isSent) signal.throwIfAborted();
    isSent = true;
    return turn.send(request, place);
  };
  try {
    return await Promise.race([take({ ...turn, send }), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort!);
  }
}

function historyIn(body: unknown, { format }: Session): readonly unknown[] {
  const history = isFields(body) ? body[formatNamed(format).messagesField] : body;
  return Array.isArray(history) ? history : [history];
}

/** Most recalls within one call if the option is `true`. */
const DEFAULT_RECALLS = 4;

/** Upper limit for any option, so that a model that always recalls comes to an end. */
const RECALL_LIMIT = 100;

/** Most recalls, from the option of a drop-in. */
export const maxRecallsOf = (recall: DropInOptions['recall']): number =>
  recall === true ? DEFAULT_RECALLS : Math.min(recall || 0, RECALL_LIMIT);

/** The model's answer after its recalls: the last object with new fields, so that its library's additions remain. */
export async function recalledAnswer<Answer>(first: Answer, turn: RecallTurn<Answer>): Promise<Answer> {
  const { last, visible } = await lastAnswer(first, turn, (one) => (isFields(one) ? one : undefined));
  return visible ? Object.assign(last as object, visible as Answer) : last;
}

/** Most side conversations remembered for one session. The least recently used one is dropped first. */
const MAX_ASIDES = 8;

/** Side sessions of a session, the newest first. */
const asides = new WeakMap<Session, readonly Session[]>();

/**
 * The session itself, or a side session if the body holds another conversation (a request for a title, a side question,
 * a new chat through the same client). A side session lives as long as the process. The session itself is not changed.
 */
async function conversationOf(session: Session, body: unknown): Promise<Session> {
  if (!(await session.isStranger(body))) return session;
  const sideSessions = asides.get(session) ?? [];
  let match: Session | undefined;
  for (const aside of sideSessions) if (!match && !(await aside.isStranger(body))) match = aside;
  match ??= session.aside();
  // Read again, because another request may have added a side session meanwhile.
  const others = (asides.get(session) ?? []).filter((one) => one !== match);
  asides.set(session, [match, ...others].slice(0, MAX_ASIDES));
  return match;
}
