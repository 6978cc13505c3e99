import type { Usage } from '../../tokens/index.js';
import type { Fields } from '../../formats/index.js';
import type { RecallWire } from './recall/wire.js';

/** What went wrong in the middle of a stream. */
export interface Fault {
  readonly message: string;
  /** As the provider names it, where it said so. */
  readonly type?: unknown;
  readonly code?: unknown;
}

/** One endpoint of a provider: where its messages stand, what its usage is called, and how an answer in its place looks. */
export interface Endpoint {
  /** The wire format of its requests. */
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic';
  /** Most tokens that a request lets the model answer; undefined where it does not say. */
  maxOutputTokens(body: Fields): number | undefined;
  /** What one answer used, said once. For a stream it is handed event after event, and nothing at its end. */
  usageReader(): (answer?: Fields) => Usage | undefined;
  /** An answer in the model's place. */
  say(words: string, body: Fields): Fields;
  /** The same as a stream. */
  events(whole: Fields): readonly Fields[];
  /** The event that ends a stream which cannot go on. */
  fault(fault: Fault): Fields;
  readonly recall: RecallWire;
  /** The line that ends a stream, where there is one. */
  readonly done?: string;
}
