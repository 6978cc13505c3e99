import { z, type ZodType } from 'zod/v4';
import type { Message } from '../../transcript/index.js';
import { defineStage, type CompactionStage, type StageGoal } from '../stage.js';
import type { TranscriptView } from '../view.js';
import { contextOf, standingIn, type ContextMessage, IllegalList } from './context.js';
import { editsOfList, kindOf } from './edits.js';

/**
 * What a reducer is to come down to, in counted tokens. It threads through reducers in order: each is told what is left
 * to take out behind those before it. New limits join as new fields, so that the signature never changes.
 */
export interface ReducerBudget {
  /** What the context should take at most: the target. */
  readonly tokens: number;
  /** What it may take at most. */
  readonly ceiling: number;
  /** Limits of tiers, where the settings set them. */
  readonly caps: { readonly toolResults?: number };
  /** Most tokens one summary may take. */
  readonly summaryTokens: number;
  /** Milliseconds since the epoch, read once per run. */
  readonly now: number;
  /** Counts text that a reducer is about to write. */
  count(text: string): number;
}

/** What a reducer returns. */
export interface Reduced<State> {
  /** The messages it was given, fewer, shorter, or with new ones in the place of what left; in their order. */
  readonly context: readonly Message[];
  /** Comes back in the next run, after a restart too: plain JSON. */
  readonly state?: State;
}

/**
 * Reduces a context to what fits. Pure and synchronous. `state` is what it returned in the last run that changed
 * anything; undefined in the first. `options` are the stage's own, parsed.
 */
export type Reduce<State, Options = unknown> = (
  context: readonly ContextMessage[],
  budget: ReducerBudget,
  state: State | undefined,
  options: Options,
) => Reduced<State>;

/** What `reducerStage` makes a stage of. */
export interface ReducerStage<State, Options> {
  readonly name: string;
  /** One sentence for operators. */
  readonly summary: string;
  /** Absent: it has none. */
  readonly options?: ZodType<Options>;
  readonly reduce: Reduce<State, Options>;
}

/** A `reduce(context, budget, state)` function as a stage. What it may not do is refused, with its name and the reason. */
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

/** The goal of a stage in the words of a function over lists. */
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
