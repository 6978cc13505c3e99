import {
  commandAnswer,
  type Flight,
  type Followed,
  type Prepared,
  type Session,
} from '../../session/index.js';
import type { Usage } from '../../tokens/index.js';
import { fitCacheMarks, isFields, type Fields } from '../../formats/index.js';
import { withoutPrefill } from './anthropic.js';
import type { Endpoint } from './endpoint.js';
import { Recaller } from './recall/recaller.js';
import { offering, type Offering, type RecallWire } from './recall/wire.js';

/** Who asks for a compaction wants one, whatever the gates say: down to this share of what stands. */
const ASKED_SHARE = 0.5;

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
  /** A session whose store is away is left alone, and the request goes beside it. */
  readonly goesBeside?: boolean;
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
): Promise<Answer | undefined> {
  const { body, send, say, commands = false, forks = false, model, maxOutputTokens, signal } = turn;
  let followed: Followed;
  try {
    followed = await session.follow(body, { commands, forks });
  } catch (error) {
    if (!turn.goesBeside || !session.goesOnWithout(error)) throw error;
    // What a client took back cannot be taken out of a store that is away: this call goes beside it, and the next one asks again.
    session.storeFailed(error);
    const beside = session.aside();
    return beside.turn((own) => takeTurn({ session: beside, flight: own }, turn));
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
  const own: Flight = {
    until: (settled) => flight.until(settled),
    again(ask) {
      let sent = 0;
      return flight.again((request) => {
        if (sent++ > 0) turn.retried?.();
        return ask(request);
      }, options);
    },
  };
  return own.again((request) => send(request, { session, flight: own }));
}

/** Reports what was used. The answer was paid for: a store that fails now is told of, and keeps it from nobody. */
export async function report(session: Session, usage: Usage | undefined): Promise<void> {
  if (!usage) return;
  await session.observe(usage).catch((error: unknown) => session.storeFailed(error));
}

/** How one request of a turn is written. */
interface Writing {
  /** With the recall tool, where the request can have it. */
  readonly offers: boolean;
  /** The last of a loop: the tool is offered no more. */
  readonly isLast: boolean;
  /** Changes a request of Anthropic's before its cache marks are counted. */
  readonly mark?: (body: Fields) => Fields;
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
    // Words in the model's mouth have to come last: no recall can stand behind them.
    this.offering = offering(endpoint.recall, given, prefill.length === 0 ? recalls : 0);
    this.followed = prefill.length > 0 ? { ...given, messages: history } : (this.offering?.offered ?? given);
    this.#endpoint = endpoint;
    this.#given = given;
    this.#prefill = prefill;
  }

  /** The body that carries what was prepared. */
  bodyOf(session: Session, { messages, beside }: Prepared, { offers, isLast, mark }: Writing): Fields {
    const { format, field } = this.#endpoint;
    const given = (offers ? this.offering : undefined)?.[isLast ? 'last' : 'offered'] ?? this.#given;
    const own = session.untrimmed<Fields>({
      ...given,
      ...beside,
      [field]: messages.length === 0 ? this.followed[field] : messages,
    });
    if (format !== 'anthropic') return own;
    const marked = mark ? mark(own) : own;
    return fitCacheMarks({
      ...marked,
      messages: [...(marked.messages as readonly unknown[]), ...this.#prefill],
    });
  }
}

/** A call of a client whose recalls are answered here. */
export interface RecallTurn<Answer> extends TurnPlace {
  readonly wire: RecallWire;
  /** Most recalls that are answered. */
  readonly most: number;
  /** Sends a further request and reports its usage. `isLast`: the tool is offered no more. */
  readonly ask: (request: Prepared, isLast: boolean) => Promise<Answer>;
}

/** The recalls of one call: answers them, and asks again with all answers that came before. */
function recalling<Answer>({ session, flight, wire, most, ask }: RecallTurn<Answer>) {
  const recaller = new Recaller(session, wire, most);
  return {
    next: recaller.answer.bind(recaller),
    again: (isLast: boolean): Promise<Answer> =>
      flight.again((request) => ask({ ...request, messages: recaller.whole(request.messages) }, isLast)),
  };
}

/** The last of the answers of a call; `visible`: what the client sees of all, where the model recalled anything. */
export async function lastAnswer<Answer>(
  first: Answer,
  turn: RecallTurn<Answer>,
  fieldsOf: (answer: Answer) => Fields | undefined,
): Promise<{ readonly last: Answer; readonly visible?: Fields }> {
  const { next, again } = recalling(turn);
  const answers: Fields[] = [];
  for (let last = first; ;) {
    const answer = fieldsOf(last);
    if (!answer) return { last };
    answers.push(answer);
    const step = turn.wire.step(answer);
    const what = await next(step);
    if (what === 'done' && answers.length === 1 && step.calls.length === 0) return { last };
    if (what === 'done') return { last, visible: turn.wire.visible(answers) };
    last = await again(what === 'last');
  }
}

/** The events of all answers, as one stream of which the client sees nothing of the tool; an answer that is no stream ends it. */
export async function* streamedAnswers(
  first: AsyncIterable<unknown>,
  turn: RecallTurn<unknown>,
  /** An event that tells the reader of a further request that failed; it is thrown where there is none. */
  failed?: (error: unknown) => Fields | undefined,
): AsyncGenerator<unknown> {
  const { next, again } = recalling(turn);
  const stream = turn.wire.stream();
  for (let events: unknown = first; isStream(events);) {
    for await (const event of events)
      if (isFields(event)) yield* stream.take(event);
      else yield event;
    const what = await next(stream.endAnswer());
    if (what === 'done') break;
    try {
      events = await again(what === 'last');
    } catch (error) {
      const told = failed?.(error);
      if (!told) throw error;
      return yield* stream.take(told);
    }
    stream.goOn();
  }
  yield* stream.finish();
}

export function isStream(data: unknown): data is AsyncIterable<unknown> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}
