import { z } from 'zod/v4';

export const MicroOptions = z.strictObject({
  minTokens: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(200)
    .describe('Results smaller than this, as they are shown, stay as they are.'),
  maxTokens: z
    .int()
    .min(30)
    .max(10_000)
    .default(120)
    .describe('Most tokens of what stands for one result: outcome, key lines and handle.'),
  protectTokens: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Newest tool output that stays whole, in tokens. Empty: 0.15 of the budget.'),
});
export type MicroOptions = z.infer<typeof MicroOptions>;
