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
import { offerRecall, type Offering } from './recall/wire.js';

/** A `/compact` of the user compacts regardless of the gates, down to this share of the current pressure. */
const COMMAND_SHARE = 0.5;

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
  readonly ownAnswer: (words: string) => Answer | Promise<Answer>;
  /** If true, a user may ask for a compaction with `/compact`. */
  readonly commands?: boolean | undefined;
  /** If true, a history that departs from the log is another conversation, and the session is not rewound. */
  readonly forks?: boolean | undefined;
  /** Called when the request is sent again because it was too long. */
  readonly onRetry?: () => void;
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
  const { body, send, ownAnswer, commands = false, forks = false, model, maxOutputTokens, signal } = turn;
  const takeSideTurn = (): Promise<Answer | undefined> => {
    const sideSession = session.aside();
    return sideSession.turn((own) => takeTurn({ session: sideSession, flight: own }, turn, Infinity));
  };
  const isSideSession = tries === Infinity;
  let followed: Followed;
  try {
    followed = await session.follow(body, { commands, forks });
  } catch (error) {
    if (isOvertaken(error) && !isSideSession) return takeSideTurn();
    if (!session.goesOnWithout(error)) throw error;
    // The store is away, so a history that the client shortened cannot be stored: a side session takes this call.
    session.storeFailed(error);
    return takeSideTurn();
  }
  if (followed.forked) return undefined;
  if (followed.command === 'compact') {
    const target = session.reading.pressure * COMMAND_SHARE;
    const run = await session.operator.compact({ target, ...(signal && { signal }) });
    return ownAnswer(
      commandAnswer(run.record ? `Compacted; ${session.reading.tokens} tokens are left.` : run.reason),
    );
  }
  // A further request of this turn leaves the model as much room for its answer as the first request.
  const options = {
    ...(model !== undefined && { model }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(signal && { signal }),
  };
  const isCurrent = historyCheck(session, followed);
  const own: Flight = {
    until: (settled) => flight.until(settled),
    again(ask) {
      let sent = 0;
      return flight.again((request) => {
        if (!isCurrent()) throw new HistoryChanged();
        if (sent++ > 0) turn.onRetry?.();
        return ask(request);
      }, options);
    },
  };
  try {
    return await own.again((request) => send(request, { session, flight: own }));
  } catch (error) {
    const isChanged = error instanceof HistoryChanged;
    if (isSideSession || !(isChanged || isOvertaken(error))) throw error;
    // Clients that send different histories to one session would otherwise interrupt each other forever.
    return isChanged && tries < MAX_TRIES ? takeTurn({ session, flight }, turn, tries + 1) : takeSideTurn();
  }
}

/** Another process stored another history in the session meanwhile: the prepared request is not this client's. */
class HistoryChanged extends SpillwayError {
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
export function historyCheck(session: Session, { appended }: Followed): () => boolean {
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
const pendingHistories = new WeakMap<Session, Set<readonly unknown[]>>();

/**
 * Takes a call's turn in its session. If a call with the same history is still pending there, takes the turn at once in
 * a side session: the client requests several samples, or repeats a request before it aborts the first one.
 */
export async function inTurn<T>(
  session: Session,
  history: readonly unknown[],
  task: (place: TurnPlace) => Promise<T>,
): Promise<T> {
  const others = pendingHistories.get(session) ?? new Set();
  if ([...others].some((other) => sameItem(history, other))) {
    const sideSession = session.aside();
    return sideSession.turn((flight) => task({ session: sideSession, flight }));
  }
  // A copy, because a client may continue to change the same array.
  const own = [...history];
  pendingHistories.set(session, others.add(own));
  const pendingAnswers: PromiseLike<unknown>[] = [];
  try {
    return await session.turn(({ until, again }) => {
      const flight: Flight = { again, until: (settled) => (pendingAnswers.push(settled), until(settled)) };
      return task({ session, flight });
    });
  } finally {
    void Promise.allSettled(pendingAnswers).then(() => others.delete(own));
  }
}

/**
 * Reports the usage of an answer; servers that count nothing report 0, which is ignored. The answer is already paid
 * for, so a failure of the store is only reported, and the client still gets the answer.
 */
export async function reportUsage(session: Session, usage: Usage | undefined): Promise<void> {
  if (!usage || !(inputOf(usage) > 0 || (usage.outputTokens ?? 0) > 0)) return;
  await session.observe(usage).catch((error: unknown) => session.storeFailed(error));
}

/** Passes on the events of a stream and reports the usage that they contain. */
export async function* reportingUsage<Event>(
  session: Session,
  { usageReader }: Endpoint,
  events: AsyncIterable<Event>,
  fieldsOf: (event: Event) => Fields | undefined,
): AsyncGenerator<Event> {
  const readUsage = usageReader();
  for await (const event of events) {
    const fields = fieldsOf(event);
    if (fields) await reportUsage(session, readUsage(fields));
    yield event;
  }
  await reportUsage(session, readUsage());
}

/** How to write one request of a turn. */
interface WriteOptions {
  /** Includes the recall tool, if the request can have it. */
  readonly withRecall: boolean;
  /** Writes the last request of a loop, which no longer offers the tool. */
  readonly isLast: boolean;
}

/** A client's request, and the bodies that are sent instead of it. */
export class ClientRequest {
  /** The request with the recall tool; undefined if the tool is not offered. */
  readonly offering: Offering<Fields> | undefined;
  /** The body that the session follows, without a prefill. */
  readonly followedBody: Fields;
  readonly #endpoint: Endpoint;
  readonly #body: Fields;
  readonly #prefill: readonly unknown[];

  constructor(endpoint: Endpoint, body: Fields, recalls: number) {
    const { history, prefill } =
      endpoint.format === 'anthropic' ? withoutPrefill(body) : { history: undefined, prefill: [] };
    this.offering = offerRecall(endpoint.recall, body, recalls);
    this.followedBody =
      prefill.length > 0 ? { ...body, messages: history } : (this.offering?.offered ?? body);
    this.#endpoint = endpoint;
    this.#body = body;
    this.#prefill = prefill;
  }

  /** The body with the prepared messages. */
  bodyOf(session: Session, { messages, beside }: Prepared, { withRecall, isLast }: WriteOptions): Fields {
    const { format, recall } = this.#endpoint;
    const body = (withRecall ? this.offering : undefined)?.[isLast ? 'last' : 'offered'] ?? this.#body;
    const own = session.untrimmed<Fields>({
      ...body,
      ...beside,
      [recall.field]: messages.length === 0 ? this.followedBody[recall.field] : messages,
    });
    if (format !== 'anthropic') return own;
    return fitCacheMarks({ ...own, messages: [...(own.messages as readonly unknown[]), ...this.#prefill] });
  }
}
