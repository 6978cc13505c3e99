import type { Encoding } from './exact.js';

/** Limits that somebody states for a model, in tokens. 0 means without limit; a missing field says nothing. */
export interface Limits {
  /** Input and output together. */
  readonly contextWindow?: number;
  /** Input alone, where the provider has such a limit. */
  readonly inputLimit?: number;
  readonly outputLimit?: number;
}

/** What an operator may say of a model: wins over every other source, field by field. */
export interface LimitOverride extends Limits {
  readonly tokenizer?: Encoding;
  /** Tokens of this model for one token of o200k_base. */
  readonly tokenRatio?: number;
}

/** Where a number came from. `learned`: a provider refused a request and said what it would have taken. */
export type LimitSource = 'user' | 'learned' | 'provider' | 'catalogue' | 'default';

/** What is believed of one model. All limits in tokens, `Infinity` for none. */
export interface ModelLimits {
  readonly model: string;
  readonly contextWindow: number;
  readonly inputLimit?: number;
  readonly outputLimit?: number;
  /** Source of the limit that binds the input: of `inputLimit` where there is one, else of `contextWindow`. */
  readonly source: LimitSource;
  /** Source of each figure. */
  readonly sources: Readonly<Partial<Record<keyof Limits, LimitSource>>>;
  /** False where the window is a guess. */
  readonly authoritative: boolean;
  /** The public encoding that counts as this model does. */
  readonly exactTokenizer?: Encoding;
  /** Tokens of this model for one token of o200k_base, in which every message is counted once. */
  readonly tokenRatio: number;
}

/** Window of a model that nobody knows, in tokens: what most models since 2024 have at least. */
export const DEFAULT_WINDOW = 128_000;
