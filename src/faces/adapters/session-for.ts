import { either, FUNCTION, having, SpillwayError, type Kind } from '../../errors/index.js';
import type { Session, Spillway } from '../../session/index.js';

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
