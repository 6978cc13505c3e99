import { z } from 'zod/v4';
import { listFrom, whyNotCopyable, type Edit } from '../transcript/index.js';

/** Plans are hashed as JSON: other values are refused here, where the stage is known. `parts` are checked one by one. */
const isWritable = ({ parts: _, ...own }: { readonly parts?: unknown }): boolean => {
  if (whyNotCopyable(own) !== undefined) return false;
  JSON.stringify(own);
  return true;
};

/** Other fields are kept by reference: a format's `wire` may contain an image. */
const partOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape).refine(isWritable).readonly();

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((list) => (Array.isArray(list) ? listFrom(list) : list), z.array(item).readonly());

const said = { text: z.string(), signature: z.string().optional() };
const Part = z.union([
  partOf({ type: z.enum(['text', 'reasoning']), ...said }),
  partOf({ type: z.literal('file'), mediaType: z.string(), bytes: z.number().min(0) }),
  partOf({ type: z.enum(['tool-call', 'tool-result', 'marker']) }),
]);

const Message = partOf({
  id: z.string().min(1),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  origin: z.enum(['user', 'model', 'tool', 'system', 'synthetic']),
  name: z.string().optional(),
  label: z.string().optional(),
  parts: listOf(Part),
});

const Slot = z.object({
  fromId: z.string(),
  toId: z.string(),
  prompt: z.string(),
  maxTokens: z.int(),
  grows: z.literal(true).optional().catch(undefined),
});

const shared = { reason: z.string(), slot: Slot.readonly().optional() };
const EditShape = z
  .union([
    z.object({
      kind: z.literal('replace'),
      messageId: z.string(),
      partIndex: z.int(),
      content: listOf(Part),
      ...shared,
    }),
    z.object({
      kind: z.literal('supersede'),
      fromId: z.string(),
      toId: z.string(),
      replacement: listOf(Message),
      ...shared,
    }),
  ])
  .readonly();

/**
 * Reads a stage's return value as an edit: a copy that the stage can no longer change. Undefined if the value is no
 * edit: the types of a stage in JavaScript, or of a careless one, guarantee nothing.
 */
export function readEdit(value: unknown): Edit | undefined {
  try {
    return EditShape.safeParse(value).data as Edit | undefined;
  } catch {
    // A getter or a proxy threw, or a field cannot be stored.
    return undefined;
  }
}
