import { z } from 'zod/v4';

export const CollapseOptions = z.strictObject({
  minRun: z.int().min(2).max(100).default(2).describe('Neighbours it takes to be worth one message.'),
});
export type CollapseOptions = z.infer<typeof CollapseOptions>;
