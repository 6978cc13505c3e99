import { isFields, type Fields } from '../../../formats/index.js';
import type { Caller } from '../access.js';

/** An upstream counts as knowing no `stream_options` for this time, because an update may add them. In milliseconds. */
const REMEMBERED_MS = 3_600_000;
/** Most addresses that are remembered, because a client may put any text after a question mark. */
const MAX_KNOWN = 1_000;

/** Statuses of the answer to a request with a field that the upstream does not know. */
const UNKNOWN_FIELD: ReadonlySet<number> = new Set([400, 422]);

/**
 * Upstreams that reject `stream_options`, kept per caller: behind the same address, another caller may use other models
 * and keys.
 */
export class NoUsageUpstreams {
  /** Caller and address -> the time from which usage is requested again. */
  readonly #retryAt = new Map<string, number>();

  has(caller: Caller, url: string): boolean {
    return performance.now() < (this.#retryAt.get(keyOf(caller, url)) ?? 0);
  }

  add(caller: Caller, url: string): void {
    const key = keyOf(caller, url);
    this.#retryAt.delete(key);
    this.#retryAt.set(key, performance.now() + REMEMBERED_MS);
    if (this.#retryAt.size > MAX_KNOWN) this.#retryAt.delete([...this.#retryAt.keys()][0]!);
  }
}

const keyOf = ({ tenant, name }: Caller, url: string): string => [tenant, name, url].join('\n');

/**
 * Whether a refusal may be about the field that requests usage. It is not certain: the refusal may quote the request
 * and be about another field. The same request without the field makes it certain.
 */
export const mayRefuseUsage = (status: number, bytes: Buffer): boolean =>
  UNKNOWN_FIELD.has(status) && bytes.includes('stream_options');

export const asksUsage = ({ stream_options: options }: Fields): boolean =>
  isFields(options) && options.include_usage === true;

/** Whether a chunk only reports usage. A client that did not request usage does not expect such a chunk. */
export const isUsageOnly = ({ choices, usage }: Fields): boolean =>
  Array.isArray(choices) && choices.length === 0 && isFields(usage);
