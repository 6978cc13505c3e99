import { z, type ZodType } from 'zod/v4';
import type { Message } from '../../transcript/index.js';
import { defineStage, type CompactionStage, type StageGoal } from '../stage.js';
import type { TranscriptView } from '../view.js';
import { contextOf, standingIn, type ContextMessage, IllegalList } from './context.js';
import { editsOfList, kindOf } from './edits.js';

/**
 * The goal of a reducer, in counted tokens. It passes through reducers in order: each gets what remains to be freed
 * after the reducers before it. New limits become new fields, so that the signature never changes.
 */
export interface ReducerBudget {
  /** Most tokens of the context: the target. */
  readonly tokens: number;
  /** Hard limit of the context. */
  readonly ceiling: number;
  /** Limits of tiers, if the settings have them. */
  readonly caps: { readonly toolResults?: number };
  /** Most tokens one summary may take. */
  readonly summaryTokens: number;
  /** Milliseconds since the epoch, read once per run. */
  readonly now: number;
  /** Counts text that a reducer is about to write. */
  count(text: string): number;
}

/** A reducer's result. */
export interface Reduced<State> {
  /** The given messages, fewer, shorter, or with new messages instead of removed ones; in their order. */
  readonly context: readonly Message[];
  /** Passed to the next run, also after a restart: plain JSON. */
  readonly state?: State;
}

/**
 * Reduces a context to what fits. Pure and synchronous. `state` is the last returned state of a run that changed
 * anything; undefined at first. `options` are the stage's own, parsed.
 */
export type Reduce<State, Options = unknown> = (
  context: readonly ContextMessage[],
  budget: ReducerBudget,
  state: State | undefined,
  options: Options,
) => Reduced<State>;

/** The parts of a stage made by `reducerStage`. */
export interface ReducerStage<State, Options> {
  readonly name: string;
  /** One sentence for operators. */
  readonly summary: string;
  /** Absent: the stage has no options. */
  readonly options?: ZodType<Options>;
  readonly reduce: Reduce<State, Options>;
}

/** A `reduce(context, budget, state)` function as a stage. Illegal results are refused with its name and the reason. */
export function reducerStage<State = unknown, Options = Record<string, never>>({
  name,
  summary,
  options = z.strictObject({}) as unknown as ZodType<Options>,
  reduce,
}: ReducerStage<State, Options>): CompactionStage<Options> {
  return defineStage<Options>({
    name,
    summary,
    options,
    plan(view, goal) {
      const context = contextOf(standingIn(view));
      const reduced = reduce(context, budgetOf(view, goal), goal.state as State | undefined, goal.options);
      const whose = `reducer ${name}`;
      if (typeof reduced !== 'object' || reduced === null || !('context' in reduced))
        throw new IllegalList(whose, `returned ${kindOf(reduced)} in the place of { context, state }`);
      const { state } = reduced;
      const edits = editsOfList(view, reduced.context, { whose, reason: `reduced by ${name}` });
      return { edits, ...(state !== undefined && { state }) };
    },
  });
}

/** The goal of a stage as the budget of a reducer. */
export function budgetOf(
  view: TranscriptView,
  { reclaim, budget, summaryTokens, now, count }: StageGoal,
): ReducerBudget {
  const { toolResults } = budget.caps ?? {};
  return Object.freeze({
    tokens: Math.max(0, view.tokens - reclaim),
    ceiling: budget.tokens,
    caps: Object.freeze(toolResults === undefined ? {} : { toolResults }),
    summaryTokens,
    now,
    count,
  });
}
