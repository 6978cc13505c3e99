import { blocksOf, defineStage, freeRuns, spanOf, summarise } from '../../spi/index.js';
import { z } from 'zod/v4';

const summaryTokens = z.int().min(30).max(100_000).nullable().default(null);
const FullOptions = z.strictObject({
  maxSummaryTokens: summaryTokens.describe(
    'Most tokens of the summary. Empty: all that is free up to the target.',
  ),
});
type FullOptions = z.infer<typeof FullOptions>;

/** The last resort: one summary for all that may go. Pins, fresh results and the unanswered user message stay. */
export const full = defineStage<FullOptions>({
  name: 'full',
  summary: 'Replaces the whole conversation by one summary; only what is protected stays.',
  options: FullOptions,
  plan(view, goal) {
    if (goal.reclaim <= 0) return { edits: [] };
    const spans = freeRuns(blocksOf(view)).map(spanOf);
    const { maxSummaryTokens } = goal.options;
    return { edits: summarise(view, goal, spans, { stage: 'full', maxSummaryTokens }) };
  },
});
