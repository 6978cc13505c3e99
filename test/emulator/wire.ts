import type { Answer, Failure } from './acts.js';

/** One event of a stream as it is written: with `event: name` only if it has a name. */
export interface StreamEvent {
  readonly name?: string;
  readonly payload: unknown;
}

export interface AnswerRequest {
  readonly answer: Answer;
  readonly model: string;
  /** The request's body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** How one provider's interface writes an answer. */
export interface EmulatedWire {
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic-messages';
  /** The end of its address. */
  readonly path: string;
  whole(request: AnswerRequest): unknown;
  /** The events in order; the server cuts and stalls between them. */
  events(request: AnswerRequest): StreamEvent[];
  failure(failure: Failure): unknown;
  /** The event in which a stream breaks off with an error. */
  broken(failure: Failure): StreamEvent;
}

/** Text in small pieces, as a model streams it. */
export function pieces(text: string, count = 4): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  const cut: string[] = [];
  for (let at = 0; at < text.length; at += size) cut.push(text.slice(at, at + size));
  return cut;
}
