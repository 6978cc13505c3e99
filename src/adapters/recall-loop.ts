import { recalledText, type Flight, type Prepared, type Session } from '../session/index.js';
import { isFields, type Fields } from '../wire/index.js';
import { isStream, through } from './held-stream.js';
import type { DropInOptions } from './options.js';
import type { Sent } from './sdk-answer.js';

/** Recalls that an agent may make within one call, where the host does not say. */
const MOST_RECALLS = 4;

/** How many, by the option of a drop-in. */
export const mostRecalls = (recall: DropInOptions['recall']): number =>
  recall === true ? MOST_RECALLS : recall || 0;

/** A call of the recall tool, as the model wrote it. */
export interface RecallCall {
  readonly id: string;
  /** JSON text or what it says. */
  readonly arguments: unknown;
}

/** What one answer of the model holds for the loop. */
export interface RecallStep {
  readonly calls: readonly RecallCall[];
  /** The step as it goes into the log, which the client never sees. */
  readonly said: readonly unknown[];
  /** Calls of the client's own tools stand beside: they are for the client to run, and end the loop. */
  readonly hasOthers: boolean;
}

/** One wire, as far as the recall tool goes. */
export interface RecallWire {
  /** The body's field that holds messages. */
  readonly field: string;
  /** The request with the tool in it; undefined where it cannot be offered, or the client has one of that name. */
  offer(body: Fields): Fields | undefined;
  step(answer: Fields): RecallStep;
  /** What answers these calls, as messages of the wire. */
  results(calls: readonly RecallCall[], texts: readonly string[]): readonly unknown[];
  /** The last answer as the client sees it, with the usage of all. */
  visible(answers: readonly Fields[]): Fields;
  stream(): RecallStream;
}

/** The events of all answers of one call, as one stream without the tool. */
export interface RecallStream {
  /** What of an event the client sees now. */
  take(event: Fields): Iterable<Fields>;
  /** The answer has ended; the next event is of another one. */
  endAnswer(): RecallStep;
  /** What was held back until it was known that no further answer comes. */
  finish(): Iterable<Fields>;
}

export interface RecallTurn {
  readonly session: Session;
  readonly flight: Flight;
  readonly wire: RecallWire;
  readonly most: number;
  /** Sends a request and reports its usage. `signal` ends a stream that goes on from an earlier one. */
  readonly send: (request: Prepared, signal?: AbortSignal) => Promise<Sent>;
}

/** Answers the model's recalls itself and gives the client what is left: one answer, or one stream. */
export async function answeringRecalls(sent: Sent, turn: RecallTurn): Promise<Sent> {
  if (!isStream(sent.data)) return wholeAnswer(sent, turn);
  // The object stays the client's own; its iterator goes on through all answers.
  const { controller } = sent.data as { readonly controller?: AbortController };
  through(sent.data, (events) => streamedAnswers(events, turn, controller?.signal));
  return sent;
}

async function wholeAnswer(sent: Sent, turn: RecallTurn): Promise<Sent> {
  const answers: Fields[] = [];
  const recaller = new Recaller(turn);
  for (let last = sent; ;) {
    if (!isFields(last.data)) return last;
    answers.push(last.data);
    const goesOn = await recaller.answer(turn.wire.step(last.data));
    if (!goesOn) return { ...last, data: inPlace(last.data, turn.wire.visible(answers)) };
    last = await turn.flight.again((request) => turn.send(request));
  }
}

/** The client's own object with other fields: what its library hung on it stays. */
function inPlace(answer: Fields, visible: Fields): Fields {
  return Object.assign(answer, visible);
}

/** The events of all answers, as one stream of which the client sees nothing of the tool. */
export async function* streamedAnswers(
  first: AsyncIterable<unknown>,
  turn: RecallTurn,
  signal?: AbortSignal,
): AsyncGenerator<unknown> {
  const recaller = new Recaller(turn);
  const stream = turn.wire.stream();
  for (let events = first; ;) {
    for await (const event of events) {
      if (isFields(event)) yield* stream.take(event);
      else yield event;
    }
    if (!(await recaller.answer(stream.endAnswer()))) break;
    const { data } = await turn.flight.again((request) => turn.send(request, signal));
    if (!isStream(data)) break;
    events = data;
  }
  yield* stream.finish();
}

const LAST = '[This was the last recall of this answer: go on with what there is.]';

/** Answers the recalls of one call, up to so many. */
class Recaller {
  readonly #turn: RecallTurn;
  #made = 0;
  #answers = 0;

  constructor(turn: RecallTurn) {
    this.#turn = turn;
  }

  /** Whether the model is to be asked again. */
  async answer({ calls, said, hasOthers }: RecallStep): Promise<boolean> {
    if (calls.length === 0) return false;
    const { session, wire, most } = this.#turn;
    const texts: string[] = [];
    for (const call of calls) texts.push(await this.#textOf(call));
    await session.appendHidden({ [wire.field]: [...said, ...wire.results(calls, texts)] });
    return !hasOthers && this.#answers++ < most;
  }

  async #textOf({ arguments: given }: RecallCall): Promise<string> {
    const { session, most } = this.#turn;
    if (this.#made++ >= most)
      return `Nothing more can be recalled in this answer (${most} times at most). Go on with what there is.`;
    try {
      const asked: unknown = typeof given === 'string' ? JSON.parse(given || '{}') : given;
      const text = recalledText(await session.recall(asked as Parameters<Session['recall']>[0]));
      return this.#made < most ? text : `${text}\n\n${LAST}`;
    } catch (error) {
      return `Nothing was recalled: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** Sums the figures of two reports, field by field. */
export function summed(one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (!isFields(one) || !isFields(other)) return other ?? one;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, summed(one[name], other[name])]));
}
