import { blocksOf, defineStage, freeRuns, spanOf, summarise, type Block } from '../../spi/index.js';
import { z } from 'zod/v4';

const messages = z.int().min(0).max(1_000);
const summaryTokens = z.int().min(30).max(100_000).nullable().default(null);
const PartialOptions = z.strictObject({
  retainCount: messages
    .default(10)
    .describe('Most of the newest messages that stay: whole exchanges, as many as fit this count.'),
  round: z
    .enum(['down', 'up'])
    .default('down')
    .describe('If the count ends inside an exchange. down: it is summarised too. up: it stays.'),
  maxSummaryTokens: summaryTokens.describe(
    'Most tokens of one summary. Empty: all that is free up to the target.',
  ),
});
type PartialOptions = z.infer<typeof PartialOptions>;

/** Replaces everything but the newest messages by one summary. */
export const partial = defineStage<PartialOptions>({
  name: 'partial',
  summary: 'Replaces everything but the newest messages by one summary.',
  options: PartialOptions,
  plan(view, goal) {
    if (goal.reclaim <= 0) return { edits: [] };
    const { retainCount, round, maxSummaryTokens } = goal.options;
    const blocks = blocksOf(view);
    const spans = freeRuns(blocks.slice(0, retainedFrom(blocks, retainCount, round))).map(spanOf);
    return { edits: summarise(view, goal, spans, { stage: 'partial', maxSummaryTokens }) };
  },
  /** Keeps half as many messages, down to none. */
  harder: ({ retainCount, ...others }) =>
    retainCount === 0 ? undefined : { ...others, retainCount: Math.floor(retainCount / 2) },
});

/** Index of the first block that stays: whole blocks, up to `count` messages (`down`) or at least `count` (`up`). */
function retainedFrom(blocks: readonly Block[], count: number, round: 'down' | 'up'): number {
  let index = blocks.length;
  for (let kept = 0; index > 0; index--) {
    if (round === 'up' && kept >= count) break;
    kept += blocks[index - 1]!.messages;
    if (round === 'down' && kept > count) break;
  }
  return index;
}
