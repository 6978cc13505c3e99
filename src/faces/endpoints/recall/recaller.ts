import { thrownText } from '../../../errors/index.js';
import { recalledText, type Flight, type Prepared, type Session } from '../../../session/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import type { RecallCall, RecallStep, RecallWire } from './wire.js';

const LAST_RECALL_NOTE = '[This was the last recall of this answer: go on with what there is.]';

/** The step after an answer: none, a further request, or a last request without the tool. */
type NextStep = 'done' | 'again' | 'last';

/** A client's call whose recalls are answered here. */
export interface RecallTurn<Answer> {
  readonly session: Session;
  readonly flight: Flight;
  readonly wire: RecallWire;
  /** Most recalls that are answered. */
  readonly maxRecalls: number;
  /** Sends a further request and reports its usage. If `isLast`, the tool is no longer offered. */
  readonly ask: (request: Prepared, isLast: boolean) => Promise<Answer>;
}

/** Answers the recalls of one client call, up to a limit, and sends further requests with all earlier answers. */
class Recaller<Answer> {
  readonly #turn: RecallTurn<Answer>;
  /** Answered steps of this call. */
  readonly #steps: RecallStep[] = [];
  #recallCount = 0;
  #answeredSteps = 0;
  #isLast = false;

  constructor(turn: RecallTurn<Answer>) {
    this.#turn = turn;
  }

  again(isLast: boolean): Promise<Answer> {
    const { flight, ask } = this.#turn;
    return flight.again((request) => ask({ ...request, messages: this.#complete(request.messages) }, isLast));
  }

  async answer(step: RecallStep): Promise<NextStep> {
    const { calls, logged, hasOthers, isCut } = step;
    if (calls.length === 0 || isCut) return 'done';
    this.#steps.push(step);
    const texts: string[] = [];
    for (const call of calls) texts.push(await this.#textOf(call));
    const { session, wire, maxRecalls } = this.#turn;
    // The answer is already paid for: if the store fails, the messages wait and are written with the next ones.
    await session
      .appendHidden({ [wire.field]: [...logged, ...wire.results(calls, texts)] })
      .catch((error: unknown) => session.storeFailed(error));
    if (hasOthers || this.#isLast) return 'done';
    // With the tool, a model that must call a tool would recall forever, and another might end without any text.
    this.#isLast = ++this.#answeredSteps >= maxRecalls || this.#recallCount >= maxRecalls;
    return this.#isLast ? 'last' : 'again';
  }

  /**
   * The messages of a further request, with all answers that it continues. The log gets the text of these answers only
   * with the client's next request; without it, the model would repeat text and provider-run calls.
   */
  #complete(messages: readonly unknown[]): unknown[] {
    let rest = messages;
    let after: readonly unknown[] = [];
    for (const step of this.#steps.toReversed()) {
      const found = this.#turn.wire.restored(rest, step);
      if (!found) continue;
      after = [...found.messages, ...rest.slice(found.at + found.count), ...after];
      rest = rest.slice(0, found.at);
    }
    return [...rest, ...after];
  }

  async #textOf({ arguments: args }: RecallCall): Promise<string> {
    const { session, maxRecalls } = this.#turn;
    if (this.#recallCount++ >= maxRecalls)
      return `Nothing more can be recalled in this answer (${maxRecalls} times at most). Go on with what there is.`;
    try {
      const request: unknown = typeof args === 'string' ? JSON.parse(args || '{}') : args;
      const text = recalledText(await session.recall(request as Parameters<Session['recall']>[0]));
      return this.#recallCount < maxRecalls ? text : `${text}\n\n${LAST_RECALL_NOTE}`;
    } catch (error) {
      return `Nothing was recalled: ${thrownText(error)}`;
    }
  }
}

/** The last answer of a call. `visible` is the client's answer, made of all answers, if the model recalled anything. */
export async function lastAnswer<Answer>(
  first: Answer,
  turn: RecallTurn<Answer>,
  fieldsOf: (answer: Answer) => Fields | undefined,
): Promise<{ readonly last: Answer; readonly visible?: Fields }> {
  const recaller = new Recaller(turn);
  const answers: Fields[] = [];
  for (let last = first; ;) {
    const answer = fieldsOf(last);
    if (!answer) return { last };
    answers.push(answer);
    const step = turn.wire.step(answer);
    const next = await recaller.answer(step);
    if (next === 'done' && answers.length === 1 && step.calls.length === 0) return { last };
    if (next === 'done') return { last, visible: turn.wire.visible(answers) };
    last = await recaller.again(next === 'last');
  }
}

/** The events of all answers as one stream without the tool. An answer that is no stream ends it. */
export async function* streamedAnswers(
  first: AsyncIterable<unknown>,
  turn: RecallTurn<unknown>,
  /** Makes an event that reports a failed further request. If it returns undefined, the error is thrown. */
  faultEvent?: (error: unknown) => Fields | undefined,
): AsyncGenerator<unknown> {
  const recaller = new Recaller(turn);
  const stream = turn.wire.stream();
  for (let events: unknown = first; isStream(events);) {
    for await (const event of events)
      if (isFields(event)) yield* stream.take(event);
      else yield event;
    const next = await recaller.answer(stream.endAnswer());
    if (next === 'done') break;
    try {
      events = await recaller.again(next === 'last');
    } catch (error) {
      const fault = faultEvent?.(error);
      if (!fault) throw error;
      return yield* stream.take(fault);
    }
    stream.beginAnswer();
  }
  yield* stream.finish();
}

export function isStream(data: unknown): data is AsyncIterable<unknown> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}
