import { z } from 'zod/v4';

export const AutoOptions = z.strictObject({
  windowMessages: z
    .int()
    .min(1)
    .max(1_000)
    .default(20)
    .describe('Messages the window takes in at a time, oldest first, until enough is freed.'),
  preserveRecent: z.int().min(0).max(1_000).default(10).describe('Newest messages that always stay.'),
  maxSummaryTokens: z
    .int()
    .min(30)
    .max(100_000)
    .default(1_500)
    .describe('Most tokens of one summary; the budget share for summaries may make it less.'),
});
export type AutoOptions = z.infer<typeof AutoOptions>;
