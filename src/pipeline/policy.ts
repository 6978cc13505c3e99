import type { StrategyPlan } from '../config/index.js';
import type { Gate } from '../pressure/index.js';
import type { CompactionStage } from '../spi/index.js';
import type { ReasoningRule } from './reasoning-rule.js';

/** A stage of the roster with its gate and parsed options. */
export interface OpenableStage extends Gate {
  readonly plugin: CompactionStage;
  readonly options: unknown;
}

/** Shares of the budget that hard limits are taken from; each 0 to 1. */
export interface Shares {
  readonly pins: number;
  readonly summary: number;
  /** Most one fresh tool result may take. */
  readonly unseen: number;
}

/** A free stage run by itself, without waiting for a gate; it leaves no compaction record. */
export interface Pass {
  readonly kind: 'trim' | 'prune';
  readonly detail: string;
  readonly stage: OpenableStage;
  /** Before every call, after each tool result, at the head of each run, or from a pressure (or absolute size) on. */
  readonly when:
    'always' | 'iteration' | 'compaction' | { readonly pressure: number; readonly maxTokens: number };
}

/** `gates`: a later stage needs pressure at its own gate. `target`: stages go on until the target is met. */
export type Escalation = 'gates' | 'target';

/** What decides how runs go, resolved from the settings once per session. */
export interface Policy extends Partial<Omit<StrategyPlan, 'roster' | 'opensAt'>> {
  readonly stages: readonly OpenableStage[];
  /** Where runs begin: the gates of the stages, or of what comes to pass without any. */
  readonly gates: readonly Gate[];
  readonly target: number;
  readonly escalation: Escalation;
  /** A run that lowers pressure by less commits nothing. */
  readonly minGain: number;
  /** A run of its own accord commits only where it ends at this pressure or below; 1 where the settings name a gain. */
  readonly reach: number;
  readonly shares: Shares;
  readonly passes: readonly Pass[];
  /** What signatures on reasoning vouch for; absent: nothing is done about them. */
  readonly reasoning?: ReasoningRule;
  /** Most tokens of a summary by its stage, where an option of the stage says so. */
  readonly mostSummaryTokens?: Readonly<Record<string, number>>;
  /** Absolute trigger in tokens, in place of the first gate; 0 where there is none. */
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
 * Steps of the pipeline's own, by what they stand as beside stages in plans, records and reports. No stage may have one of
 * their names.
 */
export const PIPELINE_STEPS = {
  /** Pins are cut to their share. */
  pins: 'pins',
  /** Fresh results are cut to their share. */
  fresh: 'fresh',
  /** The oldest goes. */
  drop: 'drop',
  /** Digests grow into what is free. */
  regrow: 'regrow',
  /** What plugins have carried. */
  carriedByPlugin: 'inject',
  /** What a hook adds to one request. */
  addedByHook: 'injection',
  /** What a compactor made is taken over. */
  delegate: 'delegate',
  /** Signatures that a change would make void. */
  signatures: 'signatures',
} as const;

/** Names that no stage may have. */
export const STEP_NAMES: readonly string[] = Object.values(PIPELINE_STEPS);
