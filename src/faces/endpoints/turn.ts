import { SpillwayError } from '../../errors/index.js';
import {
  commandAnswer,
  type Flight,
  type Followed,
  type Prepared,
  type Session,
} from '../../session/index.js';
import { inputOf, type Usage } from '../../tokens/index.js';
import { fitCacheMarks, sameItem, type Fields } from '../../formats/index.js';
import { withoutPrefill } from './anthropic.js';
import type { Endpoint } from './endpoint.js';
import { offering, type Offering } from './recall/wire.js';

/** Who asks for a compaction wants one, whatever the gates say: down to this share of what stands. */
const ASKED_SHARE = 0.5;

/** Others may go another way each time that a turn is prepared: so often is it tried again in its session. */
const MOST_TRIES = 8;

/** Where a turn takes place. */
export interface TurnPlace {
  readonly session: Session;
  readonly flight: Flight;
}

/** One request of a client; `Answer` is what the client is given. */
export interface Turn<Answer> {
  /** The request's whole history, in the format of the session. */
  readonly body: unknown;
  /** Sends what is left of it. A stream holds the flight until it has been read. */
  readonly send: (request: Prepared, place: TurnPlace) => Answer | Promise<Answer>;
  /** Answers in the model's place: a user asked for a compaction with `/compact`. */
  readonly say: (words: string) => Answer | Promise<Answer>;
  /** Whether a user may ask for one. */
  readonly commands?: boolean | undefined;
  /** A history that leaves an answer of the session is not taken back to there: it is no history of this one. */
  readonly forks?: boolean | undefined;
  /** Hears that a request is sent again, since it was too long. */
  readonly retried?: () => void;
  /** Model the request goes to. */
  readonly model?: string | undefined;
  /** Most tokens that the request lets the model answer. */
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes in what is new, sends what fits, and once more where it was too long; or compacts where that was all the user said.
 * Undefined, and nothing done, where the history is of another session.
 */
export async function takeTurn<Answer>(
  { session, flight }: TurnPlace,
  turn: Turn<Answer>,
  tries = 1,
): Promise<Answer | undefined> {
  const { body, send, say, commands = false, forks = false, model, maxOutputTokens, signal } = turn;
  const goBeside = (): Promise<Answer | undefined> => {
    const beside = session.aside();
    return beside.turn((own) => takeTurn({ session: beside, flight: own }, turn, Infinity));
  };
  const isBeside = tries === Infinity;
  let followed: Followed;
  try {
    followed = await session.follow(body, { commands, forks });
  } catch (error) {
    if (isOvertaken(error) && !isBeside) return goBeside();
    if (!session.goesOnWithout(error)) throw error;
    // What a client took back cannot be taken out of a store that is away: this call goes beside it, and the next one asks again.
    session.storeFailed(error);
    return goBeside();
  }
  if (followed.forked) return undefined;
  if (followed.command === 'compact') {
    const target = session.reading.pressure * ASKED_SHARE;
    const run = await session.operator.compact({ target, ...(signal && { signal }) });
    return say(
      commandAnswer(run.record ? `Compacted; ${session.reading.tokens} tokens are left.` : run.reason),
    );
  }
  // A further request of this turn leaves the model as much room to answer as the first.
  const options = {
    ...(model !== undefined && { model }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(signal && { signal }),
  };
  const stands = standing(session, followed);
  const own: Flight = {
    until: (settled) => flight.until(settled),
    again(ask) {
      let sent = 0;
      return flight.again((request) => {
        if (!stands()) throw new WentOn();
        if (sent++ > 0) turn.retried?.();
        return ask(request);
      }, options);
    },
  };
  try {
    return await own.again((request) => send(request, { session, flight: own }));
  } catch (error) {
    const wentOn = error instanceof WentOn;
    if (isBeside || !(wentOn || isOvertaken(error))) throw error;
    // Clients that say different things under the name of one session would keep each other at it.
    return wentOn && tries < MOST_TRIES ? takeTurn({ session, flight }, turn, tries + 1) : goBeside();
  }
}

/** Another process took another history into the session meanwhile: what was prepared is not what this client said. */
class WentOn extends SpillwayError {
  /** Who reads a stream whose further request it was is told of it. */
  constructor() {
    super('LEDGER_CONFLICT', {
      subject: 'a further request of a call',
      found: 'a session that holds another history by now',
      remedy: 'Send the call again, or have one process serve one session.',
      retryable: true,
    });
  }
}

/** Whether other processes were first each time that something was to be stored. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof SpillwayError && error.code === 'LEDGER_CONFLICT';

/** Asks whether a session still ends with what the client said last that it has followed: others may go another way meanwhile. */
export function standing(session: Session, { appended }: Followed): () => boolean {
  const newest = appended.at(-1)?.id ?? newestOf(session.log);
  return () => newestOf(session.log) === newest;
}

/** The newest message that a client knows of. */
function newestOf(log: Session['log']): string | undefined {
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const { id, unknownToClient } = log.at(seq);
    if (!unknownToClient) return id;
  }
  return undefined;
}

/** Histories of the calls that are under way or wait, by session. */
const underWay = new WeakMap<Session, Set<readonly unknown[]>>();

/**
 * Takes a call's turn in its session; in one beside it, without waiting, where a call with the very same history is not over
 * there yet: samples that a client asks for at once, or a request that it sends again before it gives the first one up.
 */
export async function inTurn<T>(
  session: Session,
  history: readonly unknown[],
  task: (place: TurnPlace) => Promise<T>,
): Promise<T> {
  const others = underWay.get(session) ?? new Set();
  if ([...others].some((other) => sameItem(history, other))) {
    const beside = session.aside();
    return beside.turn((flight) => task({ session: beside, flight }));
  }
  // A client may go on with the very list.
  const own = [...history];
  underWay.set(session, others.add(own));
  const held: PromiseLike<unknown>[] = [];
  try {
    return await session.turn(({ until, again }) => {
      const flight: Flight = { again, until: (settled) => (held.push(settled), until(settled)) };
      return task({ session, flight });
    });
  } finally {
    void Promise.allSettled(held).then(() => others.delete(own));
  }
}

/**
 * Reports what was used; servers that count nothing say 0. The answer was paid for: a store that fails now is told of, and
 * keeps it from nobody.
 */
export async function report(session: Session, usage: Usage | undefined): Promise<void> {
  if (!usage || !(inputOf(usage) > 0 || (usage.outputTokens ?? 0) > 0)) return;
  await session.observe(usage).catch((error: unknown) => session.storeFailed(error));
}

/** The events of a stream. What it used is reported on the way. */
export async function* reported<Event>(
  session: Session,
  { usageReader }: Endpoint,
  events: AsyncIterable<Event>,
  fieldsOf: (event: Event) => Fields | undefined,
): AsyncGenerator<Event> {
  const used = usageReader();
  for await (const event of events) {
    const fields = fieldsOf(event);
    if (fields) await report(session, used(fields));
    yield event;
  }
  await report(session, used());
}

/** How one request of a turn is written. */
interface Writing {
  /** With the recall tool, where the request can have it. */
  readonly offers: boolean;
  /** The last of a loop: the tool is offered no more. */
  readonly isLast: boolean;
}

/** A client's request, and the bodies that are sent in its place. */
export class ClientRequest {
  /** With the recall tool in it; undefined where it is not offered. */
  readonly offering: Offering<Fields> | undefined;
  /** What the session follows: without words that are put into the model's mouth. */
  readonly followed: Fields;
  readonly #endpoint: Endpoint;
  readonly #given: Fields;
  readonly #prefill: readonly unknown[];

  constructor(endpoint: Endpoint, given: Fields, recalls: number) {
    const { history, prefill } =
      endpoint.format === 'anthropic' ? withoutPrefill(given) : { history: undefined, prefill: [] };
    this.offering = offering(endpoint.recall, given, recalls);
    this.followed = prefill.length > 0 ? { ...given, messages: history } : (this.offering?.offered ?? given);
    this.#endpoint = endpoint;
    this.#given = given;
    this.#prefill = prefill;
  }

  /** The body that carries what was prepared. */
  bodyOf(session: Session, { messages, beside }: Prepared, { offers, isLast }: Writing): Fields {
    const { format, recall } = this.#endpoint;
    const given = (offers ? this.offering : undefined)?.[isLast ? 'last' : 'offered'] ?? this.#given;
    const own = session.untrimmed<Fields>({
      ...given,
      ...beside,
      [recall.field]: messages.length === 0 ? this.followed[recall.field] : messages,
    });
    if (format !== 'anthropic') return own;
    return fitCacheMarks({ ...own, messages: [...(own.messages as readonly unknown[]), ...this.#prefill] });
  }
}
