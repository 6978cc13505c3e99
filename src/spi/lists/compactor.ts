import { z, type ZodType } from 'zod/v4';
import type { Message } from '../../transcript/index.js';
import { defineStage, type CompactionStage } from '../stage.js';
import { contextOf, standingIn, type ContextMessage, type Standing, IllegalList } from './context.js';
import { editsOfList, kindOf } from './edits.js';
import { budgetOf, type ReducerBudget } from './reducer.js';

/** What a compactor returns. */
export interface Compacted {
  /** The new list, whole: what stays in its order, and new messages where others left. */
  readonly messages: readonly Message[];
  /** Ids of the messages that left; those and no others. */
  readonly superseded: readonly string[];
  /** What was done, in a sentence for operators. */
  readonly summary?: string;
}

/** Transforms a whole list of messages. Pure and synchronous: one that has to wait is a compactor plugin. */
export type Compact<Options = unknown> = (
  messages: readonly ContextMessage[],
  budget: ReducerBudget,
  options: Options,
) => Compacted;

/** What `compactorStage` makes a stage of. */
export interface CompactorStage<Options> {
  readonly name: string;
  /** One sentence for operators. */
  readonly summary: string;
  /** Absent: it has none. */
  readonly options?: ZodType<Options>;
  readonly compact: Compact<Options>;
}

/** A function that returns `{ messages, superseded, summary }` as a stage. What it may not do is refused by name. */
export function compactorStage<Options = Record<string, never>>({
  name,
  summary,
  options = z.strictObject({}) as unknown as ZodType<Options>,
  compact,
}: CompactorStage<Options>): CompactionStage<Options> {
  return defineStage<Options>({
    name,
    summary,
    options,
    plan(view, goal) {
      const standing = standingIn(view);
      const whose = `compactor ${name}`;
      const result = compact(contextOf(standing), budgetOf(view, goal), goal.options);
      const edits = editsOfList(view, checkCompacted(standing, result, whose), {
        whose,
        reason: reasonOf(result, name),
      });
      return { edits };
    },
  });
}

/** The list of a result that says of every message whether it left, and says it right. */
export function checkCompacted(
  standing: readonly Standing[],
  result: Compacted,
  whose: string,
): readonly Message[] {
  if (typeof result !== 'object' || result === null || !('messages' in result))
    throw new IllegalList(whose, `returned ${kindOf(result)} in the place of { messages, superseded }`);
  const { messages, superseded } = result;
  if (!Array.isArray(superseded))
    throw new IllegalList(whose, `names ${kindOf(superseded)} in the place of a list of superseded ids`);
  if (!Array.isArray(messages)) return messages;
  const stays = new Set<unknown>(messages.map((message: Message | null) => message?.id));
  const left = new Set<unknown>(superseded);
  const known = new Set(standing.map(({ message }) => message.id));
  for (const id of left) {
    if (!known.has(id as string))
      throw new IllegalList(whose, `supersedes ${String(id)}, which is not in view`);
    if (stays.has(id)) throw new IllegalList(whose, `supersedes ${String(id)} and keeps it`);
  }
  for (const { message, exchange } of standing)
    if (!stays.has(message.id) && !left.has(message.id) && exchange.protection !== 'pinned')
      throw new IllegalList(whose, `leaves ${message.id} out without superseding it`);
  return messages;
}

/** Longest sentence that goes into every edit of a run. */
const MOST_REASON = 300;

function reasonOf({ summary }: Compacted, name: string): string {
  const said = typeof summary === 'string' ? summary.trim().slice(0, MOST_REASON) : '';
  return said === '' ? `compacted by ${name}` : said;
}
