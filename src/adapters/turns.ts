import { compactedAsAsked } from '../endpoints/index.js';
import type { Flight, Followed, Prepared, Session } from '../session/index.js';
import { pathOf } from './asides.js';
import type { Resolved } from './session-for.js';

export interface Turn<Answer> {
  /** The request's whole history, in the format of the session. */
  readonly body: unknown;
  /** Sends what is left of it. A stream holds the flight until it has been read. */
  readonly send: (request: Prepared, flight: Flight) => Answer | Promise<Answer>;
  /** Answers in the model's place: a user asked for a compaction with `/compact`. */
  readonly say: (words: string) => Answer | Promise<Answer>;
  /** Whether a user may ask for one. */
  readonly commands?: boolean | undefined;
  /** Model the request goes to. */
  readonly model?: string | undefined;
  /** Most tokens that the request lets the model answer. */
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request of a client that sends its whole history: what is new goes into the session, what fits is sent, and what
 * the provider finds too long is compacted and sent once more. Requests of one session go one after the other; one that
 * holds another conversation goes its own way beside them. `alone` sends a request that belongs to no session, as it is.
 */
export async function takeTurn<Request, Answer>(
  sessionFor: Resolved<Request>,
  request: Request,
  turnIn: (session: Session) => Turn<Answer>,
  alone: () => Answer | PromiseLike<Answer>,
): Promise<Answer> {
  const given = await sessionFor(request);
  if (!given) return alone();
  const { body } = turnIn(given);
  for (;;) {
    const session = await pathOf(given, body);
    const taken = await session.turn(async (flight) => {
      // Asked again: the turn before this one may have begun another conversation.
      if (await session.isStranger(body)) return undefined;
      return { answer: await answer(session, turnIn, flight) };
    });
    if (taken) return taken.answer;
  }
}

async function answer<Answer>(
  session: Session,
  turnIn: (session: Session) => Turn<Answer>,
  flight: Flight,
): Promise<Answer> {
  const { body, send, say, commands = false, model, maxOutputTokens, signal } = turnIn(session);
  let followed: Followed;
  try {
    followed = await session.follow(body, { commands });
  } catch (error) {
    if (!session.goesOnWithout(error)) throw error;
    // What a client took back cannot be taken out of a store that is away: this call goes beside it, and the next one asks again.
    session.storeFailed(error);
    const beside = session.aside();
    return beside.turn((own) => answer(beside, turnIn, own));
  }
  const { command } = followed;
  if (command === 'compact') return say(await compactedAsAsked(session, signal));
  const options = {
    ...(model !== undefined && { model }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(signal && { signal }),
  };
  // A further request of this turn leaves the model as much room to answer as the first.
  const own: Flight = {
    until: (settled) => flight.until(settled),
    again: (ask, given = options) => flight.again(ask, given),
  };
  return own.again((request) => send(request, own));
}
