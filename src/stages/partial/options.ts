import { z } from 'zod/v4';

export const PartialOptions = z.strictObject({
  retainCount: z
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('Newest messages that stay, at most: whole exchanges, as many as fit this count.'),
  round: z
    .enum(['down', 'up'])
    .default('down')
    .describe('Where the count ends inside an exchange: that one gives way too, or stays too.'),
  maxSummaryTokens: z
    .int()
    .min(30)
    .max(100_000)
    .nullable()
    .default(null)
    .describe('Most tokens of one summary. Empty: what is free up to the target.'),
});
export type PartialOptions = z.infer<typeof PartialOptions>;
