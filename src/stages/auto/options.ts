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
    .nullable()
    .default(null)
    .describe('Most tokens of one summary. Empty: what is free up to the target.'),
});
export type AutoOptions = z.infer<typeof AutoOptions>;
