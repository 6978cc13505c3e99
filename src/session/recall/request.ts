import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';

/**
 * By handle, by words, or both: then the words are looked for in what the handle names. Models fill in what they may
 * leave out: `null` counts as absent, and numbers may come as text.
 */
export interface RecallRequest {
  /** As it stands in a mark: `m12`, `m12#0`, `m3..m9`, `m4, m69`, `m80@1200`; brackets and the word "recall" may stay. */
  readonly handle?: string | number | readonly (string | number)[] | null;
  readonly query?: string | readonly string[] | null;
  /** Most passages that a search gives. Default 20, at most 50. */
  readonly limit?: number | null;
  /** Most tokens of the whole answer, by the session's counter. Default 2,000, from 100 to 100,000. */
  readonly maxTokens?: number | null;
}

/** A request that was checked. */
export interface CheckedRecall {
  /** Each as it was written; none where words are searched for everywhere. */
  readonly handles: readonly string[];
  /** '' where nothing is searched for. */
  readonly query: string;
  readonly limit: number;
  readonly maxTokens: number;
}

const DEFAULT_PASSAGES = 20;
const MAX_PASSAGES = 50;
const DEFAULT_TOKENS = 2_000;
const MAX_TOKENS = 100_000;
/** Less holds no more than where something is from. */
const MIN_ROOM = 100;
const MAX_HANDLES = 1_000;
/** Of a longer question the beginning counts. */
const MAX_QUERY_CHARS = 20_000;

const named = z.union([z.string(), z.number().int()]).transform(String);
const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d+\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().int().min(1));
const ALLOWED =
  'an object with handle (a text such as m12, m3..m9 or m4, m69), query (words), limit (a whole number from 1) and maxTokens (from 100); handle or query must be there';

const schema = z.strictObject({
  handle: z.union([named, z.array(named).max(MAX_HANDLES)]).nullish(),
  query: z.union([z.string(), z.array(z.string())]).nullish(),
  limit: count.nullish(),
  maxTokens: count.pipe(z.number().min(MIN_ROOM)).nullish(),
});

/** Throws `RECALL_INVALID`, which names the first thing that is not as it has to be. */
export function readRequest(request: unknown): CheckedRecall {
  const read = schema.safeParse(request);
  if (!read.success) {
    const [issue] = read.error.issues;
    const [field] = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
    const subject = field === undefined ? 'what to recall' : `${String(field)} of what to recall`;
    throw invalid(subject, valueAt(request, field));
  }
  const { handle, query, limit, maxTokens } = read.data;
  const handles = (Array.isArray(handle) ? handle : [handle ?? '']).filter((one) => one.trim() !== '');
  const isAsked = handles.length > 0 || typeof query === 'string' || Array.isArray(query);
  if (!isAsked) throw invalid('what to recall', request);
  const words = Array.isArray(query) ? query.join(' ') : (query ?? '');
  return {
    handles,
    query: words.trim().slice(0, MAX_QUERY_CHARS),
    limit: Math.min(limit ?? DEFAULT_PASSAGES, MAX_PASSAGES),
    maxTokens: Math.min(maxTokens ?? DEFAULT_TOKENS, MAX_TOKENS),
  };
}

function invalid(subject: string, found: unknown): SpillwayError {
  return new SpillwayError('RECALL_INVALID', {
    subject,
    found,
    allowed: ALLOWED,
    remedy: 'Give the handle as it stands in the mark, or search with a query.',
  });
}

function valueAt(request: unknown, field: PropertyKey | undefined): unknown {
  return field === undefined ? request : (request as Readonly<Record<PropertyKey, unknown>>)[field];
}
