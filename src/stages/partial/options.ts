import { z } from 'zod/v4';

export const PartialOptions = z.strictObject({
  retainCount: z
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('Newest messages that stay, at most: whole exchanges, as many as fit this count.'),
  maxSummaryTokens: z
    .int()
    .min(30)
    .max(100_000)
    .default(1_500)
    .describe('Most tokens of one summary; the budget share for summaries may make it less.'),
});
export type PartialOptions = z.infer<typeof PartialOptions>;
