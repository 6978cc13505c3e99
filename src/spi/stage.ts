import type { ZodType } from 'zod/v4';
import type { Budget } from '../tokens/index.js';
import type { Edit, Made } from '../transcript/index.js';
import type { TranscriptView } from './view.js';

/** The pipeline's request to a stage. Tokens are counted tokens, the scale of `view`. */
export interface StageGoal<Options = unknown> {
  /** Tokens to free to reach the target; a stage may offer less, and should not offer much more. */
  readonly reclaim: number;
  /** Tokens of tool results above their cap; 0 if there is no cap or it is not exceeded. */
  readonly reclaimResults: number;
  /** Bytes and images above the target's share of their limits; 0 if there is no limit or the share is not exceeded. */
  readonly reclaimBytes: number;
  readonly reclaimImages: number;
  readonly budget: Budget;
  /** Most tokens of one summary: the summary share of the budget. */
  readonly summaryTokens: number;
  readonly options: Options;
  /** The stage's last returned `state`; plain JSON, because it survives restarts. */
  readonly state: unknown;
  /** Milliseconds since the epoch, read once per run. */
  readonly now: number;
  /** Counts text on the scale of the view. For new text only: the view is already counted. */
  count(text: string): number;
}

/**
 * A stage's answer: edits in any order, none if it has nothing to offer; its next goal contains `state` (plain JSON).
 */
export interface Proposal {
  readonly edits: readonly Edit[];
  readonly state?: unknown;
}

/** One compaction technique. Pure and synchronous: its only inputs are view and goal. */
export interface CompactionStage<Options = unknown> {
  readonly name: string;
  /** Options with defaults, bounds and descriptions; the same schema draws the operator's knobs. */
  readonly options: ZodType<Options>;
  /** One sentence for operators. */
  readonly summary: string;
  /**
   * Proposes edits that free about `goal.reclaim` tokens. An exception is recorded as the stage's fault, and the run
   * continues without it. A generator yields at points where other work may run.
   */
  plan(view: TranscriptView, goal: StageGoal<Options>): Made<Proposal>;
  /**
   * Options for running alone before a call, free and without a gate: `trim` removes duplicates, `prune` removes
   * expired content. Undefined if the stage does not support it. Such a run leaves no compaction record. The first
   * stage of the roster that supports a kind runs it; if none does, the first provided stage.
   */
  asPass?(kind: 'trim' | 'prune', options: Options): Options | undefined;
  /** Options that leave less, requested if the request does not fit after all stages; undefined if there are none. */
  harder?(options: Options): Options | undefined;
}

/** For stages without a container: types the options from the schema. */
export function defineStage<Options>(stage: CompactionStage<Options>): CompactionStage<Options> {
  return Object.freeze({ ...stage });
}
