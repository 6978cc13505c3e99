import { z } from 'zod';

/**
 * STAND-IN: the options that snip and auto are going to have. To be swapped for the real stages' schemas in
 * `profiles.test.ts` and `default-yaml.test.ts` when the stages are there.
 */
const Retention = z.strictObject({
  turns: z.int().min(0).optional(),
  count: z.int().min(0).optional(),
});

export const standInStages = {
  snip: z.strictObject({
    mode: z
      .enum(['remove', 'stub'])
      .default('remove')
      .describe('What becomes of an exchange nothing refers to.'),
    protectTokens: z.int().min(0).nullable().default(null).describe('Newest tool output that stays whole.'),
    protectTurns: z.int().min(0).default(0).describe('Newest turns that stay whole.'),
    protectedTools: z.array(z.string()).default(['skill']).describe('Tools whose results stay.'),
    minimumSavings: z.int().min(0).default(0).describe('Tokens below which nothing is done.'),
    retention: z
      .strictObject({
        default: Retention.prefault({}),
        tools: z.record(z.string(), Retention.extend({ neverEvict: z.boolean().optional() })).default({}),
      })
      .prefault({}),
    arguments: z
      .strictObject({
        mode: z.enum(['on', 'off']).default('on'),
        minTokens: z.int().min(0).default(200),
        protectShare: z.number().min(0).max(1).default(0.3),
      })
      .prefault({}),
    dialogue: z
      .strictObject({ turns: z.int().min(0).optional(), tokens: z.int().min(0).optional() })
      .prefault({}),
    notice: z.string().default('[result removed]'),
  }),
  auto: z.strictObject({
    windowMessages: z.int().min(1).default(20),
    preserveRecent: z.int().min(0).default(10),
    maxSummaryTokens: z.int().min(1).default(1500),
  }),
};
