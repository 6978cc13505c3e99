import { SpillwayError } from '../../errors/index.js';

/** SQLSTATE, or the system's name of a fault of the network. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** Two transactions met, and the server took one back. */
export function isPassing(error: unknown): boolean {
  return ['40001', '40P01', '55P03'].includes(codeOf(error));
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

export function isTaken(error: unknown): boolean {
  return ['42P07', '42710'].includes(codeOf(error));
}

export function isIdTaken(error: unknown): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: string }).constraint === 'spillway_message_id';
}

/** The connection went away, or there was none to be had. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08...|57P0[1-5]|53300|E[A-Z]+)$/.test(code)) return true;
  return code === '' && /connection|connect|timeout/i.test(String((error as Error | null)?.message));
}

/** The connection went away while a commit was under way: whether it was done is not known. */
export class UnknownOutcome extends Error {}

/** What the server or the network said, in the words of somebody who has to mend it. */
export function faultOf(store: string, error: unknown): SpillwayError {
  const code = codeOf(error);
  const base = { subject: store, found: saidBy(error), cause: error };
  if (error instanceof UnknownOutcome) {
    const remedy =
      'The connection was lost during a commit: load the thread again to see whether it was done.';
    const facts = { outcome: 'unknown' };
    return new SpillwayError('STORE_FAILED', { ...base, remedy, facts, retryable: true });
  }
  if (/^(28...|42501|25006)$/.test(code)) {
    const remedy = 'Look at user, password and rights; they stand in the URL of the store.';
    return new SpillwayError('STORE_DENIED', { ...base, remedy });
  }
  if (code === '3D000') {
    return new SpillwayError('STORE_FAILED', { ...base, remedy: 'Create the database, or name another.' });
  }
  if (code === '53100') {
    const remedy = 'Make room on the disk of the server; nothing was changed.';
    return new SpillwayError('STORE_FULL', { ...base, remedy, retryable: true });
  }
  if (/^XX00[12]$/.test(code)) {
    return new SpillwayError('STORE_DAMAGED', { ...base, remedy: 'Restore the database from a backup.' });
  }
  if (isMissingTable(error)) {
    const remedy = 'Its tables are not whole: restore them, or use another database.';
    return new SpillwayError('STORE_SCHEMA', { ...base, remedy });
  }
  if (isLost(error)) {
    const remedy = 'Start the server, or look at the way to it; nothing was changed.';
    return new SpillwayError('STORE_FAILED', { ...base, remedy, retryable: true });
  }
  const retryable = isPassing(error) || code.startsWith('53');
  return new SpillwayError('STORE_FAILED', {
    ...base,
    remedy: 'Nothing was changed; the cause says more.',
    retryable,
  });
}

/** Where a host has several addresses, the message is empty and each has its own. */
function saidBy(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: readonly Error[] };
  return message || errors?.[0]?.message || codeOf(error) || String(error);
}
