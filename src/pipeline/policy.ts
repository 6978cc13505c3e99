import type { StrategyPlan } from '../config/index.js';
import type { Gate } from '../pressure/index.js';
import type { CompactionStage } from '../spi/index.js';
import type { ReasoningRule } from './reasoning-rule.js';

/** A stage of the roster with its gate and parsed options. */
export interface OpenableStage extends Gate {
  readonly plugin: CompactionStage;
  readonly options: unknown;
}

/** Shares of the budget from which hard limits are computed; each 0 to 1. */
export interface Shares {
  readonly pins: number;
  readonly summary: number;
  /** Largest share for one fresh tool result. */
  readonly unseen: number;
}

/** A free stage that runs alone without waiting for a gate; it leaves no compaction record. */
export interface Pass {
  readonly kind: 'trim' | 'prune';
  readonly detail: string;
  readonly stage: OpenableStage;
  /** Before every call, after each tool result, at the start of each run, or from a pressure (or absolute size) on. */
  readonly when:
    'always' | 'iteration' | 'compaction' | { readonly pressure: number; readonly maxTokens: number };
}

/** `gates`: a later stage needs pressure at its own gate. `target`: stages go on until the target is met. */
export type Escalation = 'gates' | 'target';

/** The settings that control runs, resolved once per session. */
export interface Policy extends Partial<Omit<StrategyPlan, 'roster' | 'opensAt'>> {
  readonly stages: readonly OpenableStage[];
  /** The gates at which runs begin: those of the stages or, without stages, that of the delegate or drop step. */
  readonly gates: readonly Gate[];
  readonly target: number;
  readonly escalation: Escalation;
  /** A run that lowers pressure by less commits nothing. */
  readonly minGain: number;
  /** Pressure that an unforced run must reach to be worth it (`isWorthIt`); 1 if the settings name a gain. */
  readonly reach: number;
  readonly shares: Shares;
  readonly passes: readonly Pass[];
  /** The rule for signed reasoning; absent: signed reasoning is never changed. */
  readonly reasoning?: ReasoningRule;
  /** Most tokens of a summary by stage, if an option of the stage limits it. */
  readonly maxSummaryTokens?: Readonly<Record<string, number>>;
  /** Absolute trigger in tokens, instead of the first gate; 0 if there is none. */
  readonly maxTokens: number;
}

/** Whether a stage opens at this point of a run. */
export function stageOpens(
  pressure: number,
  gate: Gate,
  rule: { readonly escalation: Escalation; readonly target: number; readonly first: boolean },
): boolean {
  if (rule.first) return pressure > rule.target;
  return rule.escalation === 'gates' ? pressure >= gate.opensAt : pressure > rule.target;
}

/**
 * Names of the pipeline's own steps, as plans, records and reports list them next to stages. A stage must not have one
 * of these names.
 */
export const PIPELINE_STEPS = {
  /** Cuts pins to their share. */
  pins: 'pins',
  /** Cuts fresh results to their share. */
  fresh: 'fresh',
  /** Drops the oldest exchanges. */
  drop: 'drop',
  /** Lets digests grow into free room. */
  regrow: 'regrow',
  /** Adds texts that plugins carry. */
  carriedByPlugin: 'inject',
  /** Adds a hook's text to one request. */
  addedByHook: 'injection',
  /** Applies a compactor's result. */
  delegate: 'delegate',
  /** Removes signatures that a change invalidates. */
  signatures: 'signatures',
} as const;

/** The names that no stage may have. */
export const STEP_NAMES: readonly string[] = Object.values(PIPELINE_STEPS);
