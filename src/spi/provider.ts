import type { Usage } from '../tokens/index.js';

/**
 * The content that a provider's signature on reasoning covers.
 *
 * prefix: the thought and everything before it; any change before it invalidates it and every later signature.
 * step: its own step, whose text and calls must stay unchanged; content before the step does not matter.
 * nothing: reasoning is not signed.
 */
export type SignatureBinding = 'prefix' | 'step' | 'nothing';

/** The limit in a provider's refusal of a request. Tokens; each field only if the refusal names it. */
export interface Overflow {
  /** Most tokens of one request, input and output together. */
  readonly contextWindow?: number;
  /** Most tokens of input. */
  readonly inputLimit?: number;
  /** The provider's count of the request; some providers include the tokens reserved for the answer. */
  readonly requested?: number;
  /** The input in `requested`, if reported separately. */
  readonly input?: number;
  /** The tokens reserved for the answer in `requested`, if reported separately. */
  readonly output?: number;
}

/** A provider's error text for a request that is too long, and the figure in each group of the pattern. */
export type OverflowWording = readonly [pattern: RegExp, ...figures: (keyof Overflow)[]];

/** A field of a request body that asks the provider to truncate a request that is too long. */
export interface TruncationSwitch {
  readonly field: string;
  /** The value that disables truncation (undefined: no field), and what was asked for. Undefined if nothing was. */
  off(value: unknown): { readonly value: unknown; readonly was: string } | undefined;
}

/**
 * Behaviour of the providers behind a wire format, beyond the shape of its messages. All fields are optional. Any
 * provider may be behind a gateway, so the wordings, switches and marks of all formats are tried in every session.
 */
export interface Provider {
  /** By model, if the format carries reasoning of any provider; undefined if the model is unknown. */
  signatures?(model: string | null): SignatureBinding | undefined;
  /** Tokens that an answer or an event of a stream reports; undefined if it reports none. */
  usageOf?(answer: unknown): Usage | undefined;
  /** The most specific wording first: the first match decides. */
  readonly overflows?: readonly OverflowWording[];
  readonly truncation?: readonly TruncationSwitch[];
  /** Fields of a message that may change although its content does not: cache marks, fields of a class. */
  readonly passing?: RegExp;
}
