import type { CompactionStage } from '../spi/index.js';
import type { Escalation, Gate } from './due.js';

/** A stage of the roster with its gate and parsed options. */
export interface OpenableStage extends Gate {
  readonly plugin: CompactionStage;
  readonly options: unknown;
}

/** Shares of the budget that hard limits are taken from; each 0 to 1. */
export interface Shares {
  readonly pins: number;
  readonly summary: number;
  readonly claims: number;
  /** Most one fresh tool result may take. */
  readonly unseen: number;
}

/** What decides how runs go, resolved from the settings once per session. */
export interface Policy {
  readonly stages: readonly OpenableStage[];
  readonly target: number;
  readonly escalation: Escalation;
  /** A run that lowers pressure by less commits nothing. */
  readonly minGain: number;
  readonly shares: Shares;
}
