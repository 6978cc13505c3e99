import { z } from 'zod/v4';

export const FullOptions = z.strictObject({
  maxSummaryTokens: z
    .int()
    .min(30)
    .max(100_000)
    .default(2_000)
    .describe('Most tokens of the summary; the budget share for summaries may make it less.'),
});
export type FullOptions = z.infer<typeof FullOptions>;
