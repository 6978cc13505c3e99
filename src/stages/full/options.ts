import { z } from 'zod/v4';

export const FullOptions = z.strictObject({
  maxSummaryTokens: z
    .int()
    .min(30)
    .max(100_000)
    .nullable()
    .default(null)
    .describe('Most tokens of the summary. Empty: what is free up to the target.'),
});
export type FullOptions = z.infer<typeof FullOptions>;
