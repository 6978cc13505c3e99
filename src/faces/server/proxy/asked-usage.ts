import { isFields, type Fields } from '../../../formats/index.js';
import type { Caller } from '../access.js';

/** So long an upstream is taken to know no `stream_options`, in milliseconds: one that is brought up to date does. */
const BELIEVED_MS = 3_600_000;
/** Addresses that are remembered; a client may write what it likes behind a question mark. */
const MOST_KNOWN = 1_000;

/** Statuses of a request that holds what the upstream does not know. */
const UNKNOWN_FIELD: ReadonlySet<number> = new Set([400, 422]);

/**
 * Upstreams that take no `stream_options`, for the caller whose requests said so: behind one address others may have
 * other models and keys.
 */
export class PlainUpstreams {
  /** Caller and address -> when it is asked for usage again. */
  readonly #until = new Map<string, number>();

  has(caller: Caller, url: string): boolean {
    return performance.now() < (this.#until.get(keyOf(caller, url)) ?? 0);
  }

  add(caller: Caller, url: string): void {
    const key = keyOf(caller, url);
    this.#until.delete(key);
    this.#until.set(key, performance.now() + BELIEVED_MS);
    if (this.#until.size > MOST_KNOWN) this.#until.delete([...this.#until.keys()][0]!);
  }
}

const keyOf = ({ tenant, name }: Caller, url: string): string => [tenant, name, url].join('\n');

/**
 * Whether a refusal may be of the field by which usage was asked for. No more than that: it may quote the request, and mean
 * another field. What it meant is told by the same request without the field.
 */
export const mayMeanUsage = (status: number, bytes: Buffer): boolean =>
  UNKNOWN_FIELD.has(status) && bytes.includes('stream_options');

export const asksUsage = ({ stream_options: options }: Fields): boolean =>
  isFields(options) && options.include_usage === true;

/** The chunk that only tells usage: who did not ask for it does not expect it. */
export const isUsageAlone = ({ choices, usage }: Fields): boolean =>
  Array.isArray(choices) && choices.length === 0 && isFields(usage);
