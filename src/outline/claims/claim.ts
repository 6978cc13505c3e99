/** What a claim says: a rule of the user, a list he gave, a decision, a step of the plan, a failure, how a check ended. */
export type ClaimKind =
  'constraint' | 'requirement' | 'decision' | 'todo' | 'error' | 'check' | 'instruction';

/**
 * live: holds. superseded: something newer took its place. done: a step that was finished, an error that was resolved.
 */
export type ClaimStatus = 'live' | 'superseded' | 'done';

/** A fact of the log, in its own words. */
export interface Claim {
  readonly kind: ClaimKind;
  readonly status: ClaimStatus;
  /** Verbatim; one line, but for requirements, which are lists. */
  readonly text: string;
  /** Log position and id of the message it stands in, or came to hold with. */
  readonly seq: number;
  readonly id: string;
  /** What ended it, in the words of whoever did. */
  readonly endedBy?: string;
}
