import { createHash } from 'node:crypto';

/** What a claim says: a bound of the user, a list he gave, a step of the plan, a check that fails or passes, an instruction that was loaded. */
export type ClaimKind = 'constraint' | 'requirement' | 'todo' | 'error' | 'check' | 'instruction';

/**
 * live: holds. superseded: ended by words that name it, said again later, or given up. done: a step that was finished,
 * a check that passed when it last ran.
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
  /** What ended it: the user's own words, or what a step came to. */
  readonly endedBy?: string;
  /** Of a bound that holds: the newest words of the user that may lift some of it, and their message. Nobody decides for him. */
  readonly later?: { readonly text: string; readonly id: string };
}

/** Letters of a name: enough to tell the claims of one session apart, few enough to be typed. */
const NAME_CHARS = 12;

/** Names a claim by what it says and where: said again in another message, it is another claim. */
export function claimRef(kind: ClaimKind | 'file', messageId: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, messageId, text]))
    .digest('hex')
    .slice(0, NAME_CHARS);
}
