import {
  blocksOf,
  defineStage,
  freeRuns,
  MOST_OF_SPAN,
  promisedBy,
  spanOf,
  summarise,
  type Block,
  type Span,
  type StageGoal,
  type TranscriptView,
} from '../../spi/index.js';
import { z } from 'zod/v4';

const summaryTokens = z.int().min(30).max(100_000).nullable().default(null);
const AutoOptions = z.strictObject({
  windowMessages: z
    .int()
    .min(1)
    .max(1_000)
    .default(20)
    .describe('Messages by which the window grows, oldest first, until enough is freed.'),
  preserveRecent: z.int().min(0).max(1_000).default(10).describe('Newest messages that always stay.'),
  maxSummaryTokens: summaryTokens.describe(
    'Most tokens of one summary. Empty: all that is free up to the target.',
  ),
});
type AutoOptions = z.infer<typeof AutoOptions>;

/** Replaces a window over the oldest exchanges by one summary, which includes an earlier summary in the window. */
export const auto = defineStage<AutoOptions>({
  name: 'auto',
  summary: 'Replaces a window of the oldest messages by one summary, no wider than it must be.',
  options: AutoOptions,
  *plan(view, goal) {
    if (goal.reclaim <= 0) return { edits: [] };
    const { maxSummaryTokens } = goal.options;
    const windows = windowsOf(view, goal);
    yield;
    return { edits: summarise(view, goal, windows, { stage: 'auto', maxSummaryTokens }) };
  },
});

/** Normally one span. If a protected exchange is in the way, the window continues after it as a second span. */
function windowsOf(view: TranscriptView, goal: StageGoal<AutoOptions>): Span[] {
  const { windowMessages, preserveRecent, maxSummaryTokens } = goal.options;
  const by = { stage: 'auto', maxSummaryTokens };
  const blocks = blocksOf(view);
  const spans: Span[] = [];
  let tokens = 0;
  for (const run of freeRuns(blocks.slice(0, endBefore(blocks, preserveRecent)))) {
    for (let end = 0; end < run.length;) {
      const next = step(run, end, windowMessages);
      for (; end < next; end++) tokens += run[end]!.tokens;
      // Making a span costs its whole length, so it is only made if it may suffice.
      if (mostSaved(goal, tokens, maxSummaryTokens) < goal.reclaim) continue;
      const span = spanOf(run.slice(0, end));
      if (promisedBy(goal, [...spans, span], by) >= goal.reclaim) return [...spans, span];
    }
    spans.push(spanOf(run));
  }
  return spans;
}

/** Upper bound of the saving by summaries of so many tokens; `promisedBy` never exceeds it. */
function mostSaved({ summaryTokens }: StageGoal, tokens: number, most: number | null): number {
  return tokens - Math.min(most ?? Infinity, summaryTokens, MOST_OF_SPAN * tokens);
}

/** The first block end after at least so many further messages. */
function step(run: readonly Block[], from: number, messages: number): number {
  let end = from;
  for (let taken = 0; end < run.length && taken < messages; end++) taken += run[end]!.messages;
  return end;
}

/** Index of the first of the newest blocks that have at least `count` messages. */
function endBefore(blocks: readonly Block[], count: number): number {
  let index = blocks.length;
  for (let kept = 0; index > 0 && kept < count; index--) kept += blocks[index - 1]!.messages;
  return index;
}
