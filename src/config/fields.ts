import { z } from 'zod/v4';

/** A whole number from 0. */
export const count = z.int().min(0);

/** A whole number from 1. */
export const positive = z.int().min(1);

/** A share, 0 to 1. */
export const share = z.number().min(0).max(1);

/** A setting that may be empty, and is until somebody sets it. */
export const orEmpty = <T extends z.ZodType>(schema: T) => z.nullable(schema).default(null);
