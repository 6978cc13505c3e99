import {
  defineStage,
  isSettled,
  resultsOf,
  textOf,
  type Replace,
  type ResultPart,
  type StageGoal,
} from '../../spi/index.js';
import { condense } from './condense.js';
import { MicroOptions } from './options.js';

/** Newest output that stays whole unless the operator says otherwise: what the agent works on right now. */
const PROTECTED_SHARE = 0.15;

/** Each remaining large result becomes its outcome, its key lines and a handle; a model may write a better line. */
export const micro = defineStage<MicroOptions>({
  name: 'micro',
  summary: 'Turns each remaining large tool result into a line with its key facts.',
  options: MicroOptions,
  plan(view, goal) {
    const edits: Replace[] = [];
    let { reclaim, reclaimResults } = goal;
    for (const result of resultsOf(view)) {
      if (reclaim <= 0 && reclaimResults <= 0) break;
      if (!mayGo(result, goal, reclaimResults)) continue;
      const text = condense(result, goal.options.maxTokens, goal.count);
      const saved = result.tokens - goal.count(text);
      if (saved <= 0) continue;
      edits.push(editOf(result, text, goal.options.maxTokens));
      reclaim -= saved;
      reclaimResults -= saved;
    }
    return { edits };
  },
  reclaimable(view, goal) {
    return resultsOf(view)
      .filter((result) => mayGo(result, goal))
      .reduce((sum, { tokens }) => sum + tokens - SHORTEST_LINE, 0);
  },
});

/** Tokens of the shortest line that can stand for a result: tool, size and handle. */
const SHORTEST_LINE = 12;

function mayGo(result: ResultPart, goal: StageGoal<MicroOptions>, overCap = goal.reclaimResults): boolean {
  if (!isLarge(result, goal.options) || isSettled(result)) return false;
  // A cap on tool results wins over protection.
  return overCap > 0 || !isProtected(result, goal);
}

function isLarge(result: ResultPart, { minTokens, maxTokens }: MicroOptions): boolean {
  return result.tokens >= minTokens && result.tokens > maxTokens / 2;
}

function isProtected(result: ResultPart, { budget, options }: StageGoal<MicroOptions>): boolean {
  return result.newer <= (options.protectTokens ?? PROTECTED_SHARE * budget.tokens);
}

function editOf(result: ResultPart, text: string, maxTokens: number): Replace {
  const { source, index, tool } = result;
  const edit: Replace = {
    kind: 'replace',
    messageId: source.id,
    partIndex: index,
    content: [{ type: 'text', text }],
    reason: `${tool ?? 'tool'} result of ${result.tokens} tokens condensed`,
  };
  // An image alone gives a model nothing to write about.
  if (textOf(result.original).trim() === '') return edit;
  return { ...edit, slot: { fromId: source.id, toId: source.id, prompt: micro.name, maxTokens } };
}
