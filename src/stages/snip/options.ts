import { z } from 'zod/v4';

const turns = z
  .int()
  .min(0)
  .optional()
  .describe('Turns that a result is kept for. 1: until the next user message.');
const countOf = z.int().min(0).optional().describe('Newest results of the tool that are kept.');

const Retention = z
  .strictObject({
    default: z.strictObject({ turns, count: countOf }).prefault({}).describe('For tools not named below.'),
    tools: z
      .record(
        z.string(),
        z.strictObject({
          turns,
          count: countOf,
          neverEvict: z.boolean().optional().describe('Results are durable facts, which no stage removes.'),
        }),
      )
      .default({})
      .describe('By tool name. A tool named here inherits nothing from the default.'),
  })
  .prefault({})
  .describe('When results expire. Every run removes expired results, no matter how much it has to free.');

const Arguments = z
  .strictObject({
    mode: z.enum(['on', 'off']).default('on').describe('Whether large call arguments are trimmed.'),
    minTokens: z.int().min(0).max(1_000_000).default(200).describe('Arguments up to this size stay.'),
    protectShare: z
      .number()
      .min(0)
      .max(1)
      .default(0.3)
      .describe('Newest share of the budget in which calls keep their arguments.'),
  })
  .prefault({})
  .describe('Trimming of call arguments: keys stay, long strings keep their beginning.');

const Dialogue = z
  .strictObject({
    turns: z.int().min(0).optional().describe('Newest turns whose plain messages stay.'),
    tokens: z.int().min(0).optional().describe('Newest tokens of plain messages that stay.'),
  })
  .prefault({})
  .describe('A sliding window on plain dialogue. Both empty: no window.');

/** The kinds of content that snip removes, in its order of removal. */
const SNIP_CLASSES = ['duplicates', 'media', 'reads', 'expired', 'unreferenced', 'arguments'] as const;

export const SnipOptions = z.strictObject({
  mode: z
    .enum(['remove', 'stub'])
    .default('remove')
    .describe('stub: the result becomes a line. remove: the exchange goes, and a digest names its calls.'),
  classes: z
    .array(z.enum(SNIP_CLASSES))
    .default([...SNIP_CLASSES])
    .describe('What may be removed. The order of removal is always this one, regardless of the order here.'),
  protectTokens: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Newest tool output that stays, in tokens. Empty: min(40,000, 0.3 of the budget).'),
  protectTurns: z.int().min(0).default(0).describe('Newest turns whose tool results stay.'),
  protectedTools: z.array(z.string()).default(['skill']).describe('Tools whose results are never touched.'),
  minimumSavings: z.int().min(0).default(0).describe('Fewest tokens that snip must save.'),
  retention: Retention,
  arguments: Arguments,
  dialogue: Dialogue,
  notice: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('A fixed text instead of the stub. It has no handle, so the agent cannot recall by it.'),
});
export type SnipOptions = z.infer<typeof SnipOptions>;
