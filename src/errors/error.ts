import type { ErrorCode } from './codes.js';

/** The facts that a person needs to correct a fault: the subject, the found value, the allowed values, and a remedy. */
export interface Fault {
  readonly subject: string;
  readonly found?: unknown;
  readonly allowed?: string;
  readonly remedy: string;
}

export interface ErrorDetails extends Fault {
  readonly cause?: unknown;
  /** True only if the same call may succeed later without any change. */
  readonly retryable?: boolean;
  /** Several faults of one kind, reported together (configuration). */
  readonly faults?: readonly Fault[];
  /** Structured facts for programs, e.g. the parts of an unreachable floor. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The only error class of Spillway. Tests and callers check `code`; the message is for people. */
export class SpillwayError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly faults: readonly Fault[];
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: ErrorDetails) {
    const faults = details.faults ?? [details];
    super(`${code}: ${faults.map((fault) => sentence(fault, code)).join('\n')}`, { cause: details.cause });
    this.name = 'SpillwayError';
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.faults = faults;
    this.facts = details.facts ?? {};
  }
}

function sentence(fault: Fault, code: ErrorCode): string {
  const allowed = fault.allowed ? `; allowed: ${fault.allowed}` : '';
  return `${fault.subject}${foundIn(fault, code)}${allowed}. ${fault.remedy}`;
}

function foundIn(fault: Fault, code: ErrorCode): string {
  if (fault.found === undefined) return 'found' in fault && fault.allowed ? '; found nothing' : '';
  const found = show(fault.found);
  return code.endsWith('_UNKNOWN') ? ` ${found} is not known` : `; found ${found}`;
}

/** A value cut to one readable line: an error must not contain a transcript. */
function show(value: unknown): string {
  const shown = typeof value === 'number' && !Number.isFinite(value) ? String(value) : asText(value);
  return shown.length > 120 ? `${shown.slice(0, 117)}...` : shown;
}

/** A value that cannot be written as JSON or text is a fault too, and must not hide the error that names it. */
function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return thrownText(value);
  }
}

const STORE_FAILURES: readonly ErrorCode[] = ['STORE_FAILED', 'STORE_FULL', 'STORE_DENIED', 'STORE_DAMAGED'];

/** Whether a store failed or denied access, as opposed to refusing a wrong use. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof SpillwayError && STORE_FAILURES.includes(error.code);
}

/** The error for a second message with an id; `id` is undefined if a store does not report it. */
export function idTaken(id: string | undefined, cause?: unknown): SpillwayError {
  const remedy = 'Give every message of a session an id of its own.';
  return new SpillwayError('MESSAGE_ID_TAKEN', { subject: 'message id', found: id, remedy, cause });
}

export const isIdTaken = (error: unknown): boolean =>
  error instanceof SpillwayError && error.code === 'MESSAGE_ID_TAKEN';

/** The message of a thrown value. Any value can be thrown, even one that cannot become a text. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something that has no text';
  }
}

/**
 * The value for one session of many, or the error code if only this session fails, so that the others are still listed.
 * Rejects if the store itself fails.
 */
export async function valueOrFault<T>(
  asked: Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: ErrorCode }> {
  try {
    return { value: await asked };
  } catch (error) {
    const fault = error instanceof SpillwayError ? error.code : 'INTERNAL';
    if (fault !== 'STORE_DAMAGED' && isStoreFailure(error)) throw error;
    return { fault };
  }
}
