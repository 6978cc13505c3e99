import type { Usage } from '../../tokens/index.js';
import { jsonText, type Fields } from '../../formats/index.js';
import type { RecallWire } from './recall/wire.js';

/** An error in the middle of a stream. */
export interface Fault {
  readonly message: string;
  /** The provider's own name for the type of error, if it gave one. */
  readonly type?: unknown;
  readonly code?: unknown;
}

/** One endpoint of a provider: its messages field, its usage report, and the form of an answer of Spillway's own. */
export interface Endpoint {
  /** The wire format of its requests. */
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic';
  /** Most tokens that a request allows for the answer; undefined if the request sets no limit. */
  maxOutputTokens(body: Fields): number | undefined;
  /** Returns a reader that reports the usage of one answer once. For a stream, it takes each event, then nothing. */
  usageReader(): (answer?: Fields) => Usage | undefined;
  /** An answer of Spillway's own, instead of the model's. */
  ownAnswer(text: string, body: Fields): Fields;
  /** The events of a stream with that answer. */
  events(answer: Fields): readonly Fields[];
  /** The event that ends a stream after an error. */
  fault(fault: Fault): Fields;
  readonly recall: RecallWire;
  /** The line that ends a stream, if the endpoint has one. */
  readonly doneLine?: string;
}

/** An event as servers write it. An event with a type also gets an `event:` line; chunks of chat completions have none. */
export function eventText(event: Fields): string {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${jsonText(event)}\n\n`;
}
