import { thrownText } from '../../../errors/index.js';
import { recalledText, type Flight, type Prepared, type Session } from '../../../session/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import type { RecallCall, RecallStep, RecallWire } from './wire.js';

const LAST = '[This was the last recall of this answer: go on with what there is.]';

/** What follows an answer: nothing, the same request again, or a last one that has the tool no more. */
type Next = 'done' | 'again' | 'last';

/** A call of a client whose recalls are answered here. */
export interface RecallTurn<Answer> {
  readonly session: Session;
  readonly flight: Flight;
  readonly wire: RecallWire;
  /** Most recalls that are answered. */
  readonly most: number;
  /** Sends a further request and reports its usage. `isLast`: the tool is offered no more. */
  readonly ask: (request: Prepared, isLast: boolean) => Promise<Answer>;
}

/** Answers the recalls of one call of the client, up to so many, and asks again with all answers that came before. */
class Recaller<Answer> {
  readonly #turn: RecallTurn<Answer>;
  /** Steps of this call that were answered. */
  readonly #steps: RecallStep[] = [];
  #made = 0;
  #answers = 0;
  #isLast = false;

  constructor(turn: RecallTurn<Answer>) {
    this.#turn = turn;
  }

  again(isLast: boolean): Promise<Answer> {
    const { flight, ask } = this.#turn;
    return flight.again((request) => ask({ ...request, messages: this.#whole(request.messages) }, isLast));
  }

  async answer(step: RecallStep): Promise<Next> {
    const { calls, said, hasOthers, isCut } = step;
    if (calls.length === 0 || isCut) return 'done';
    this.#steps.push(step);
    const texts: string[] = [];
    for (const call of calls) texts.push(await this.#textOf(call));
    const { session, wire, most } = this.#turn;
    // The answer was paid for: what a store does not take now waits, and goes with the next that is written.
    await session
      .appendHidden({ [wire.field]: [...said, ...wire.results(calls, texts)] })
      .catch((error: unknown) => session.storeFailed(error));
    if (hasOthers || this.#isLast) return 'done';
    // With the tool in it, a model that must call one would recall for ever, and another might end with no word.
    this.#isLast = ++this.#answers >= most || this.#made >= most;
    return this.#isLast ? 'last' : 'again';
  }

  /**
   * A further request with all of the answers that it continues. The log has what was said beside a recall only with the client's
   * answer; a model that does not see it says it again, and does again what its provider did.
   */
  #whole(messages: readonly unknown[]): unknown[] {
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

  async #textOf({ arguments: given }: RecallCall): Promise<string> {
    const { session, most } = this.#turn;
    if (this.#made++ >= most)
      return `Nothing more can be recalled in this answer (${most} times at most). Go on with what there is.`;
    try {
      const asked: unknown = typeof given === 'string' ? JSON.parse(given || '{}') : given;
      const text = recalledText(await session.recall(asked as Parameters<Session['recall']>[0]));
      return this.#made < most ? text : `${text}\n\n${LAST}`;
    } catch (error) {
      return `Nothing was recalled: ${thrownText(error)}`;
    }
  }
}

/** The last of the answers of a call; `visible`: what the client sees of all, where the model recalled anything. */
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
    const what = await recaller.answer(step);
    if (what === 'done' && answers.length === 1 && step.calls.length === 0) return { last };
    if (what === 'done') return { last, visible: turn.wire.visible(answers) };
    last = await recaller.again(what === 'last');
  }
}

/** The events of all answers, as one stream of which the client sees nothing of the tool; an answer that is no stream ends it. */
export async function* streamedAnswers(
  first: AsyncIterable<unknown>,
  turn: RecallTurn<unknown>,
  /** An event that tells the reader of a further request that failed; it is thrown where there is none. */
  failed?: (error: unknown) => Fields | undefined,
): AsyncGenerator<unknown> {
  const recaller = new Recaller(turn);
  const stream = turn.wire.stream();
  for (let events: unknown = first; isStream(events);) {
    for await (const event of events)
      if (isFields(event)) yield* stream.take(event);
      else yield event;
    const what = await recaller.answer(stream.endAnswer());
    if (what === 'done') break;
    try {
      events = await recaller.again(what === 'last');
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
