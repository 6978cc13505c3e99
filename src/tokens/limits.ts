import type { Encoding } from './exact.js';

/** Limits that a source states for a model, in tokens. 0: no limit; a missing field: not stated. */
export interface Limits {
  /** Input and output together. */
  readonly contextWindow?: number;
  /** Input alone, if the provider has such a limit. */
  readonly inputLimit?: number;
  readonly outputLimit?: number;
}

/** An operator's limits for a model: they override every other source, field by field. */
export interface LimitOverride extends Limits {
  readonly tokenizer?: Encoding;
  /** Tokens of this model per token of o200k_base. */
  readonly tokenRatio?: number;
}

/** Source of a figure. `learned`: a provider's refusal of a request named the limit. */
export type LimitSource = 'user' | 'learned' | 'provider' | 'catalogue' | 'default';

/** The assumed limits of one model. All in tokens, `Infinity` for none. */
export interface ModelLimits {
  readonly model: string;
  readonly contextWindow: number;
  readonly inputLimit?: number;
  readonly outputLimit?: number;
  /** Source of the limit on the input: of `inputLimit` if there is one, otherwise of `contextWindow`. */
  readonly source: LimitSource;
  /** Source of each figure. */
  readonly sources: Readonly<Partial<Record<keyof Limits, LimitSource>>>;
  /** False if the window is a guess. */
  readonly authoritative: boolean;
  /** The public encoding with the model's own counts. */
  readonly exactTokenizer?: Encoding;
  /** Tokens of this model per token of o200k_base, in which every message is counted once. */
  readonly tokenRatio: number;
}

/** Window of an unknown model, in tokens: most models since 2024 have at least this. */
export const DEFAULT_WINDOW = 128_000;
