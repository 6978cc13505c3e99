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

/** A `/compact` of the user compacts regardless of the gates, down to this share of the current pressure. */
const ASKED_SHARE = 0.5;

/** Most tries of a turn in its session, because another process may change the session's history each time. */
const MAX_TRIES = 8;

/** The session and the flight of a turn. */
export interface TurnPlace {
  readonly session: Session;
  readonly flight: Flight;
}

/** One request of a client. `Answer` is the type of the client's answer. */
export interface Turn<Answer> {
  /** The request's whole history, in the format of the session. */
  readonly body: unknown;
  /** Sends the compacted request. A stream holds the flight until it has been read. */
  readonly send: (request: Prepared, place: TurnPlace) => Answer | Promise<Answer>;
  /** Answers instead of the model, after a user asked for a compaction with `/compact`. */
  readonly say: (words: string) => Answer | Promise<Answer>;
  /** If true, a user may ask for a compaction with `/compact`. */
  readonly commands?: boolean | undefined;
  /** If true, a history that departs from the log is another conversation, and the session is not rewound. */
  readonly forks?: boolean | undefined;
  /** Called when the request is sent again because it was too long. */
  readonly retried?: () => void;
  /** The model that the request is for. */
  readonly model?: string | undefined;
  /** Most tokens that the request lets the model answer. */
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Appends the new messages, sends what fits, and compacts and resends a request that was too long; or only compacts, if
 * the user's message is `/compact`. Changes nothing and resolves to undefined if the history is another session's.
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
    // The store is away, so a history that the client shortened cannot be stored: a side session takes this call.
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
  // A further request of this turn leaves the model as much room for its answer as the first request.
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
    // Clients that send different histories to one session would otherwise interrupt each other forever.
    return wentOn && tries < MAX_TRIES ? takeTurn({ session, flight }, turn, tries + 1) : goBeside();
  }
}

/** Another process stored another history in the session meanwhile: the prepared request is not this client's. */
class WentOn extends SpillwayError {
  /** This error reaches the reader of a stream if the stream's further request fails with it. */
  constructor() {
    super('LEDGER_CONFLICT', {
      subject: 'a further request of a call',
      found: 'a session whose history has changed since',
      remedy: 'Send the call again, or have one process serve one session.',
      retryable: true,
    });
  }
}

/** Whether other processes were faster at each attempt to store something. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof SpillwayError && error.code === 'LEDGER_CONFLICT';

/** Returns a check that the session still ends with the client's newest message; another process may change that. */
export function standing(session: Session, { appended }: Followed): () => boolean {
  const newest = appended.at(-1)?.id ?? newestOf(session.log);
  return () => newestOf(session.log) === newest;
}

/** The id of the newest message that a client knows. */
function newestOf(log: Session['log']): string | undefined {
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const { id, unknownToClient } = log.at(seq);
    if (!unknownToClient) return id;
  }
  return undefined;
}

/** Histories of the calls that are running or waiting, by session. */
const underWay = new WeakMap<Session, Set<readonly unknown[]>>();

/**
 * Takes a call's turn in its session. If a call with the same history is still pending there, takes the turn at once in
 * a side session: the client requests several samples, or repeats a request before it aborts the first one.
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
  // A copy, because a client may continue to change the same array.
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
 * Reports the usage of an answer; servers that count nothing report 0, which is ignored. The answer is already paid
 * for, so a failure of the store is only reported, and the client still gets the answer.
 */
export async function report(session: Session, usage: Usage | undefined): Promise<void> {
  if (!usage || !(inputOf(usage) > 0 || (usage.outputTokens ?? 0) > 0)) return;
  await session.observe(usage).catch((error: unknown) => session.storeFailed(error));
}

/** Passes on the events of a stream and reports the usage that they contain. */
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

/** How to write one request of a turn. */
interface Writing {
  /** Includes the recall tool, if the request can have it. */
  readonly offers: boolean;
  /** Writes the last request of a loop, which no longer offers the tool. */
  readonly isLast: boolean;
}

/** A client's request, and the bodies that are sent instead of it. */
export class ClientRequest {
  /** The request with the recall tool; undefined if the tool is not offered. */
  readonly offering: Offering<Fields> | undefined;
  /** The body that the session follows, without a prefill. */
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

  /** The body with the prepared messages. */
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
