import { z } from 'zod/v4';

const Answer = z.strictObject({
  skip: z.union([z.boolean(), z.string()]).optional(),
  retain: z.array(z.string()).optional(),
  inject: z.union([z.string(), z.array(z.string())]).optional(),
});

/** What an observer answered before a compaction, in one shape. */
export interface ReadAnswer {
  /** Why there is to be no compaction now. */
  readonly skip?: string;
  readonly retain: readonly string[];
  /** Undefined: what it had carried before stays. */
  readonly inject?: readonly string[];
}

/** Throws `TypeError` where it is no such answer. */
export function readAnswer(value: unknown): ReadAnswer {
  if (value === undefined || value === null) return { retain: [] };
  const read = Answer.safeParse(value);
  if (!read.success)
    throw new TypeError(`answered what is no answer: ${z.prettifyError(read.error).replaceAll(/\s+/g, ' ')}`);
  const { skip = false, retain = [], inject } = read.data;
  return {
    retain,
    ...(skip !== false && { skip: skip === true || skip.trim() === '' ? 'asked to skip it' : skip }),
    ...(inject !== undefined && { inject: [inject].flat().filter((text) => text.trim() !== '') }),
  };
}
