import { Recaller, type RecallWire } from '../endpoints/index.js';
import type { Flight, Prepared, Session } from '../session/index.js';
import { isFields, type Fields } from '../wire/index.js';
import { isStream, through } from './held-stream.js';
import type { DropInOptions } from './options.js';
import type { Sent } from './sdk-answer.js';

/** Recalls that an agent may make within one call, where the host does not say. */
const MOST_RECALLS = 4;

/** A model that recalls for ever is ended at last, whatever the host says. */
const HIGHEST = 100;

/** How many, by the option of a drop-in. */
export const mostRecalls = (recall: DropInOptions['recall']): number =>
  recall === true ? MOST_RECALLS : Math.min(recall || 0, HIGHEST);

export interface RecallTurn {
  readonly session: Session;
  readonly flight: Flight;
  readonly wire: RecallWire;
  readonly most: number;
  /** Sends a further request and reports its usage. */
  readonly send: (request: Prepared, how: Further) => Promise<Sent>;
  /** An event that tells a stream's reader of a further request that failed; it is thrown where there is none. */
  readonly failed?: (error: unknown) => unknown;
}

export interface Further {
  /** The tool is offered no more. */
  readonly isLast: boolean;
  /** Ends a stream that goes on from an earlier one. */
  readonly signal?: AbortSignal | undefined;
}

/** Answers the model's recalls itself and gives the client what is left: one answer, or one stream. */
export async function answeringRecalls(sent: Sent, turn: RecallTurn): Promise<Sent> {
  if (!isStream(sent.data)) return wholeAnswer(sent, turn);
  // The object stays the client's own; its iterator goes on through all answers.
  const { controller } = sent.data as { readonly controller?: AbortController };
  through(sent.data, (events) => streamedAnswers(events, turn, controller));
  return sent;
}

async function wholeAnswer(sent: Sent, turn: RecallTurn): Promise<Sent> {
  const answers: Fields[] = [];
  const recaller = new Recaller(turn.session, turn.wire, turn.most);
  for (let last = sent; ;) {
    if (!isFields(last.data)) return last;
    answers.push(last.data);
    const next = await recaller.answer(turn.wire.step(last.data));
    if (next === 'done') return { ...last, data: inPlace(last.data, turn.wire.visible(answers)) };
    const isLast = next === 'last';
    last = await turn.flight.again((request) => turn.send(continued(request, recaller), { isLast }));
  }
}

/** A request that goes on from answers of this call. */
const continued = (request: Prepared, recaller: Recaller): Prepared => ({
  ...request,
  messages: recaller.whole(request.messages),
});

const wasAborted = (events: object): boolean =>
  (events as { readonly controller?: AbortController }).controller?.signal.aborted === true;

/** The client's own object with other fields: what its library hung on it stays. */
function inPlace(answer: Fields, visible: Fields): Fields {
  return Object.assign(answer, visible);
}

/** The events of all answers, as one stream of which the client sees nothing of the tool. */
export async function* streamedAnswers(
  first: AsyncIterable<unknown>,
  turn: RecallTurn,
  controller?: AbortController,
): AsyncGenerator<unknown> {
  const recaller = new Recaller(turn.session, turn.wire, turn.most);
  const stream = turn.wire.stream();
  for (let events = first; ;) {
    for await (const event of events) {
      if (isFields(event)) yield* stream.take(event);
      else yield event;
    }
    // Who gave up a further stream gave up the one stream there is, which is where the client's library looks.
    if (wasAborted(events)) controller?.abort();
    const next = await recaller.answer(stream.endAnswer());
    if (next === 'done') break;
    const isLast = next === 'last';
    let data: unknown;
    try {
      ({ data } = await turn.flight.again((request) =>
        turn.send(continued(request, recaller), { isLast, signal: controller?.signal }),
      ));
    } catch (error) {
      const told = turn.failed?.(error);
      if (told === undefined) throw error;
      return yield told;
    }
    stream.goOn();
    if (!isStream(data)) break;
    events = data;
  }
  yield* stream.finish();
}
