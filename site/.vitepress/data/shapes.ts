/** The gates in their order: where each opens, of the budget. */
export type Gates = readonly { readonly name: string; readonly opensAt: number }[];

/** One step of a compaction: the request before it and after it, in tokens. */
export interface GateStep {
  readonly stage: string;
  readonly before: number;
  readonly after: number;
  readonly edits: number;
}

/** One call of the model: what was there, what was sent, and which gates opened. */
export interface Call {
  /** Messages of the log, and of the request. */
  readonly messages: number;
  readonly shown: number;
  /** Tokens that the log holds. */
  readonly written: number;
  /** Tokens of the request before and after compaction; the same where there was none. */
  readonly before: number;
  readonly after: number;
  readonly steps: readonly GateStep[];
  /** Why it could not be sent, where it could not. */
  readonly fault?: string;
}

/** A session replayed. */
export interface ReplayedGates {
  readonly budget: number;
  readonly gates: Gates;
  readonly calls: readonly Call[];
}
