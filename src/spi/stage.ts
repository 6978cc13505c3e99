import type { ZodType } from 'zod/v4';
import type { Budget } from '../tokens/index.js';
import type { Edit, Made } from '../transcript/index.js';
import type { TranscriptView } from './view.js';

/** What the pipeline wants of a stage this time. Tokens are counted tokens, the scale of `view`. */
export interface StageGoal<Options = unknown> {
  /** Tokens that bring the view to the target; a stage may offer less, and should not offer much more. */
  readonly reclaim: number;
  /** Tokens of tool results above their cap; 0 where no cap is set or it holds. */
  readonly reclaimResults: number;
  /** Bytes and images above the target's share of their limits; 0 where no limit is set or it holds. */
  readonly reclaimBytes: number;
  readonly reclaimImages: number;
  readonly budget: Budget;
  /** Most tokens one summary may take: its share of the budget. */
  readonly summaryTokens: number;
  readonly options: Options;
  /** What the stage returned as `state` last time; survives restarts, so plain JSON. */
  readonly state: unknown;
  /** Milliseconds since the epoch, read once per run. */
  readonly now: number;
  /** Counts text on the scale of the view. Only text a stage is about to write: the view is counted already. */
  count(text: string): number;
}

/**
 * What a stage answers: edits in any order, none where it has nothing to offer; `state` (plain JSON) comes back in
 * its next goal.
 */
export interface Proposal {
  readonly edits: readonly Edit[];
  readonly state?: unknown;
}

/** One compaction technique. Pure, and waits for nothing: nothing but view and goal reaches it. */
export interface CompactionStage<Options = unknown> {
  readonly name: string;
  /** Options with defaults, bounds and descriptions; the same schema draws the operator's knobs. */
  readonly options: ZodType<Options>;
  /** One sentence for operators. */
  readonly summary: string;
  /**
   * Proposes edits that free about `goal.reclaim` tokens. What it throws is written down against it, and the run goes
   * on without it. A generator yields wherever others may have their turn.
   */
  plan(view: TranscriptView, goal: StageGoal<Options>): Made<Proposal>;
  /**
   * Options under which it may run by itself before a call, free and without waiting for a gate: `trim` takes out what is
   * there twice, `prune` what has outlived its use. Undefined where it does not do that. Such a run leaves no compaction
   * record. The roster's first stage with a role does it; without one in the roster, the first that is provided.
   */
  asPass?(kind: 'trim' | 'prune', options: Options): Options | undefined;
  /** Options that leave less, asked for where the request does not fit after all stages; undefined where there are none. */
  harder?(options: Options): Options | undefined;
}

/** For stages written without a container: types the options from the schema. */
export function defineStage<Options>(stage: CompactionStage<Options>): CompactionStage<Options> {
  return Object.freeze({ ...stage });
}
