import { SpillwayError, type ErrorCode } from '../errors/index.js';

/** What a process says to the shell when it ends. */
export const EXIT = {
  done: 0,
  /** Input or configuration at fault. */
  inputAtFault: 1,
  /** The budget cannot be reached; nothing was written. */
  unreachable: 2,
  /** A plan waits for an approval. */
  pending: 3,
  /** Our own fault. */
  internal: 70,
} as const;

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  BUDGET_UNREACHABLE: EXIT.unreachable,
  COMPACTION_PENDING: EXIT.pending,
  INTERNAL: EXIT.internal,
};

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof SpillwayError)) return EXIT.internal;
  return BY_CODE[error.code] ?? EXIT.inputAtFault;
}
