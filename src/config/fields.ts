import { z } from 'zod/v4';

/** A whole number from 0. */
export const count = z.int().min(0);

/** A whole number from 1. */
export const positive = z.int().min(1);

/** The longest time of a timer, in milliseconds; a timer with a longer time ends at once. */
export const MAX_MS = 2 ** 31 - 1;

/** A share, 0 to 1. */
export const share = z.number().min(0).max(1);

/** An address with a scheme, because `localhost:1234` would parse as a scheme itself. */
export const address = z.url({ protocol: /^https?$/ });

/** A text that is not empty. */
export const text = (usual: string) => z.string().min(1).default(usual);

/** A list of texts, and a list without empty texts. */
export const texts = z.array(z.string()).default([]);
export const nonEmpty = z.array(z.string().min(1)).default([]);

/** A setting that may be empty, and is empty by default. */
export const orEmpty = <T extends z.ZodType>(schema: T) => z.nullable(schema).default(null);

/** A mapping of settings that each have a default. */
export const section = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .describe(description);

/** One of some names. */
export const oneOf = <const Names extends readonly string[]>(names: Names, usual: Names[number]) =>
  z.enum(names).default(usual);

export const flag = (usual: boolean) => z.boolean().default(usual);

const MAX_CHARS = 200;
const MAX_SEGMENT_CHARS = 64;
/** No segment is `.` or `..`, or begins or ends with a space. */
const SEGMENT = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .:@+-]*[\p{L}\p{N}_.:@+-])?$/u;

/** The rule for agent paths, in words. */
export const AGENT_PATH_WORDS = `names joined by slashes (letters, digits, “_ . : @ + -” and spaces within), each at most ${MAX_SEGMENT_CHARS} characters, together at most ${MAX_CHARS}`;

/** An agent in a session: `primary`, `primary/reviewer`. A key in stores and settings, and part of URLs and logs. */
export const AgentPath = z
  .string()
  .max(MAX_CHARS, AGENT_PATH_WORDS)
  .refine(
    (path) =>
      path.split('/').every((segment) => segment.length <= MAX_SEGMENT_CHARS && SEGMENT.test(segment)),
    AGENT_PATH_WORDS,
  );

/** Whether a value is an agent path, for type tests. */
export const isAgentPath = (value: unknown): boolean => AgentPath.safeParse(value).success;
