import { SpillwayError } from '../../errors/index.js';
import { faultIn, type KnownFault } from '../fault.js';
import type { Dialect } from '../sql/index.js';

/** The SQLSTATE, or the system's code of a network error. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const messageOf = (error: unknown): string => String((error as Error | null)?.message ?? '');

/** Two transactions collided, and the server rolled one back. */
export const isTransient = (error: unknown): boolean => /^(?:40001|40P01|55P03)$/.test(codeOf(error));

/** The client waited for longer than `query_timeout`. */
export const isUnanswered = (error: unknown): boolean => messageOf(error) === 'Query read timeout';

const LOST = /^(?:08...|57P0[1-5]|53300|E[A-Z]+)$/;

/** The connection was lost, or no connection could be made. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return LOST.test(code) || (code === '' && /connection|connect|timeout/i.test(messageOf(error)));
}

/** The connection was lost during a commit: whether the commit was done is unknown. */
export class UnknownOutcome extends Error {}

/** Runs a commit; if the connection is lost meanwhile, rejects with `UnknownOutcome`. */
export async function runCommit<T>(commit: () => Promise<T>): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    throw isLost(error) ? new UnknownOutcome((error as Error).message, { cause: error }) : error;
  }
}

const DENIED = 'Check user, password and permissions; user and password are in the URL of the store.';
const NO_ROOM = 'Make room on the disk of the server; nothing was changed.';
const UNREACHABLE = 'Start the server, or look at the way to it; nothing was changed.';
const ENDED = 'Nothing was changed; the cause says more.';
const FAULTS: readonly KnownFault[] = [
  [/^(?:28...|42501|25006)$/, 'STORE_DENIED', DENIED],
  [/^ERR_INVALID_URL$/, 'STORE_FAILED', 'Write @, : and / within the password as %40, %3A and %2F.'],
  [/^3D000$/, 'STORE_FAILED', 'Create the database, or name another.'],
  [/^53100$/, 'STORE_FULL', NO_ROOM, 'retryable'],
  [/^XX00[12]$/, 'STORE_DAMAGED', 'Restore the database from a backup.'],
  [/^42P01$/, 'STORE_SCHEMA', 'Its tables are incomplete: restore them, or use another database.'],
  [LOST, 'STORE_FAILED', UNREACHABLE, 'retryable'],
  // 57014: `statement_timeout`.
  [/^(?:40001|40P01|55P03|53...|57014)$/, 'STORE_FAILED', ENDED, 'retryable'],
];

export const dialectOf = (store: string): Dialect => ({
  kind: 'postgres',
  faultOf: (error) => faultOf(store, error),
  isTransient,
  isMissingTable: (error) => codeOf(error) === '42P01',
  isTaken: (error) => /^(?:42P07|42710|42701)$/.test(codeOf(error)),
  isIdTaken: (error) => breaks(error, 'spillway_message_id'),
  isEventTaken: (error) => breaks(error, 'spillway_event_name'),
});

const breaks = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint;

/** The error for a message of the server or the network, with a remedy for the operator. */
function faultOf(store: string, error: unknown): SpillwayError {
  const details = { store, found: errorText(error), cause: error };
  if (!(error instanceof UnknownOutcome))
    return faultIn(FAULTS, isLost(error) ? 'ECONNRESET' : codeOf(error), details);
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found: details.found,
    cause: error,
    remedy: 'The connection was lost during a commit: load the thread again to see whether it was done.',
    facts: { outcome: 'unknown' },
    retryable: true,
  });
}

/** The error's message. If a host has several addresses, the message is empty and each address has its own error. */
function errorText(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: readonly Error[] };
  return message || errors?.[0]?.message || codeOf(error) || String(error);
}
