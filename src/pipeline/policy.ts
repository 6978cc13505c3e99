import type { CompactionStage } from '../spi/index.js';
import type { Escalation, Gate } from './due.js';
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
  readonly claims: number;
  /** Most tokens of claims, whatever their share comes to. */
  readonly maxClaimsTokens: number;
  /** Most one fresh tool result may take. */
  readonly unseen: number;
}

/** A free stage run by itself, without waiting for a gate; it replaces and removes, and leaves no compaction record. */
export interface Pass {
  readonly kind: 'prune' | 'trim';
  readonly detail: string;
  readonly stage: OpenableStage;
  /** Before every call, after each tool result, at the head of each run, or from a pressure (or absolute size) on. */
  readonly when:
    'always' | 'iteration' | 'compaction' | { readonly pressure: number; readonly maxTokens: number };
}

/** What decides how runs go, resolved from the settings once per session. */
export interface Policy {
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
  /** Nobody summarises: edits that stand for a span with a text are left out, prunes and drops stay; no text is bought. */
  readonly leaveSpans?: boolean;
  /** What is above the target after all stages is dropped, oldest first; else only what does not fit. */
  readonly dropsToTarget?: boolean;
  /** A summary is only tried: where its text cannot be had, what it would stand for is dropped. */
  readonly dropsOnFailure?: boolean;
  /** A compactor is asked before any stage opens. */
  readonly delegates?: boolean;
  /** What pressure starts waits for an operator. */
  readonly waits?: boolean;
  /** Most tokens of a summary by its stage, where an option of the stage says so. */
  readonly mostSummaryTokens?: Readonly<Record<string, number>>;
  /** Names of what a run may do, for operators. */
  readonly strategies?: readonly string[];
  /** Absolute trigger in tokens, in place of the first gate; 0 where there is none. */
  readonly maxTokens: number;
}
