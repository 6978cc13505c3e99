import type { Usage } from '../tokens/index.js';

/**
 * What a provider's signature on reasoning vouches for.
 *
 * prefix: the thought and all that stood before it; any change before it makes it, and every later one, invalid.
 * step: the step it belongs to, whose words and calls must stay as they are; what stands before does not matter.
 * nothing: reasoning is not signed.
 */
export type SignatureBinding = 'prefix' | 'step' | 'nothing';

/** What a provider's refusal says of the limit that a request passed. Tokens, each only where it is named. */
export interface Overflow {
  /** Most that one request may hold, input and output together. */
  readonly contextWindow?: number;
  /** Most input. */
  readonly inputLimit?: number;
  /** What it counted in the request; with some providers what the answer may take is in it. */
  readonly requested?: number;
  /** Of that, what was input, where the two are told apart. */
  readonly input?: number;
  /** Of that, what was kept free for the answer. */
  readonly output?: number;
}

/** How a provider says that a request was too long, and which figure stands in each group of the pattern. */
export type OverflowWording = readonly [pattern: RegExp, ...figures: (keyof Overflow)[]];

/** A field of a request body by which the provider is asked to cut what is too long. */
export interface TruncationSwitch {
  readonly field: string;
  /** What stands there when nothing is cut, undefined for no such field, and what had been asked for. Undefined where nothing had. */
  off(value: unknown): { readonly value: unknown; readonly was: string } | undefined;
}

/**
 * How the providers behind a wire format behave, beyond the shape of its messages. All is optional: what one knows of the
 * providers that it serves. Any provider may stand behind a gateway, so wordings, switches and marks of all formats are
 * tried in every session.
 */
export interface Provider {
  /** By model, where the format carries the reasoning of any provider; undefined where the model is not known. */
  signatures?(model: string | null): SignatureBinding | undefined;
  /** Tokens that an answer reports, or an event of a streamed one; undefined where it reports none. */
  usageOf?(answer: unknown): Usage | undefined;
  /** The most telling first: the first that fits decides. */
  readonly overflows?: readonly OverflowWording[];
  readonly truncation?: readonly TruncationSwitch[];
  /** Fields of a message that come and go though nothing else was said: cache marks, a class's own. */
  readonly passing?: RegExp;
}
