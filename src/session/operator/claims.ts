import { SpillwayError } from '../../errors/index.js';
import type { Artifact } from '../../facts/index.js';
import { claimRef, type Claim, type ClaimKind } from '../../reading/index.js';
import type { ClaimEnd } from '../../transcript/index.js';
import type { SessionCore } from '../session-parts.js';

/** A claim as operators see it: under a name, and with the word that ended it where one of them said it. */
export interface KnownClaim extends Claim {
  /** Names it: said again in another message, it is another claim. */
  readonly ref: string;
  /** Absent where no operator ended it. */
  readonly ended?: ClaimEnd;
}

/** A file that calls touched; under a name where they changed it, for then it is carried. */
export interface KnownFile extends Artifact {
  readonly ref?: string;
  readonly ended?: ClaimEnd;
}

/** Who ends a claim or brings it back, and why. */
export interface ClaimAct {
  /** Default `operator`. */
  readonly by?: string;
  readonly notes?: string;
}

/** A claim of a message that an operator ended. */
export interface EndedClaim extends ClaimEnd {
  readonly ref: string;
  readonly kind: ClaimKind;
  readonly text: string;
}

/** What both have in common. */
interface NamedClaim {
  readonly ref: string;
  readonly kind: ClaimKind | 'file';
  readonly text: string;
  /** The message that says it. */
  readonly message: string;
  /** Whether it is carried, unless an operator ends it. */
  readonly isCarried: boolean;
  readonly endedBy: string | undefined;
}

/** The claims of a session, and the acts of operators on them: these stand in the ledger, and fall to nothing but their undoing. */
export class Claims {
  readonly #of: SessionCore;

  constructor(of: SessionCore) {
    this.#of = of;
  }

  get all(): KnownClaim[] {
    const { reader, ledger } = this.#of.thread;
    return reader.caughtUp().statements.claims.map((claim): KnownClaim => {
      const ref = claimRef(claim.kind, claim.id, claim.text);
      const ended = ledger.endedClaims.get(ref);
      return { ...claim, ref, ...(ended && { status: 'superseded', ended }) };
    });
  }

  get files(): KnownFile[] {
    const { reader, ledger, log } = this.#of.thread;
    return [...reader.caughtUp().references.artifacts.all()].map((file): KnownFile => {
      if (file.state === 'read') return file;
      const ref = claimRef('file', log.at(file.changed).id, file.path);
      const ended = ledger.endedClaims.get(ref);
      return { ...file, ref, ...(ended && { ended }) };
    });
  }

  /** Leaves a claim out of what is carried from the next commit on. Throws `CLAIM_UNKNOWN`, `CLAIM_ENDED`. */
  end(ref: string, { by = 'operator', notes }: ClaimAct): ClaimEnd {
    const { audit, clock, stream } = this.#of.parts;
    const { ledger } = this.#of.thread;
    const before = ledger.endedClaims.get(ref);
    if (before) return before;
    const claim = this.#named(ref);
    if (!claim.isCarried) throw over(claim, 'Nothing carries it: there is nothing to end.');
    const end: ClaimEnd = { by, at: clock(), ...(notes !== undefined && { notes }) };
    ledger.play({ kind: 'end-claim', claim: ref, end });
    const { kind, text, message } = claim;
    audit.say('claim-ended', ref, { by, notes, claim: kind, text, message });
    stream.emit({ kind: 'claim-ended', claim: ref, by });
    return end;
  }

  /** Takes that back. Nothing happens to a claim that holds. Throws `CLAIM_UNKNOWN`, `CLAIM_ENDED`. */
  restore(ref: string, { by = 'operator', notes }: ClaimAct): void {
    const { audit, stream } = this.#of.parts;
    const { ledger } = this.#of.thread;
    const claim = this.#find(ref);
    if (!ledger.endedClaims.has(ref)) {
      if (!claim) throw unknown(ref);
      if (!claim.isCarried) throw over(claim, 'No operator ended it: it holds once it is said again.');
      // Another process may have ended it, which only a write finds out; then this is decided anew.
      ledger.play({ kind: 'restore-claim', claim: ref });
      return;
    }
    ledger.play({ kind: 'restore-claim', claim: ref });
    const said = claim && { claim: claim.kind, text: claim.text, message: claim.message };
    audit.say('claim-restored', ref, { by, notes, ...said });
    stream.emit({ kind: 'claim-restored', claim: ref, by });
  }

  /** The claims of messages that operators ended, by message; `ended` as the ledger had it then. */
  endedIn(ended: ReadonlyMap<string, ClaimEnd>): ReadonlyMap<string, readonly EndedClaim[]> {
    const found = new Map<string, EndedClaim[]>();
    if (ended.size === 0) return found;
    for (const { ref, kind, text, id } of this.all) {
      const end = ended.get(ref);
      if (end) found.set(id, [...(found.get(id) ?? []), { ref, kind, text, ...end }]);
    }
    return found;
  }

  #named(ref: string): NamedClaim {
    const found = this.#find(ref);
    if (found) return found;
    throw unknown(ref);
  }

  #find(ref: string): NamedClaim | undefined {
    const { reader, log } = this.#of.thread;
    const { statements, references } = reader.caughtUp();
    const same = statements.claims.filter(({ kind, id, text }) => claimRef(kind, id, text) === ref);
    // Said twice in one message, it is one claim: the one that holds speaks for both.
    const claim = same.find(isCarried) ?? same[0];
    if (claim) {
      const { kind, text, id: message, endedBy } = claim;
      return { ref, kind, text, message, isCarried: isCarried(claim), endedBy };
    }
    for (const { state, changed, path } of references.artifacts.all()) {
      if (state === 'read') continue;
      const message = log.at(changed).id;
      if (claimRef('file', message, path) === ref)
        return { ref, kind: 'file', text: path, message, isCarried: true, endedBy: undefined };
    }
    return undefined;
  }
}

/** A check that passed is carried too: so that nobody runs it again without need. */
const isCarried = ({ status, kind }: Claim): boolean => status === 'live' || kind === 'check';

function unknown(ref: string): SpillwayError {
  return new SpillwayError('CLAIM_UNKNOWN', {
    subject: 'claim',
    found: ref,
    remedy: 'Name one by its `ref`: `session.operator.claims`, `files`, or the command `claims` lists them.',
  });
}

function over({ ref, endedBy }: NamedClaim, remedy: string): SpillwayError {
  return new SpillwayError('CLAIM_ENDED', {
    subject: `claim ${ref}`,
    found: endedBy === undefined ? 'one that holds no more' : `ended by: ${endedBy}`,
    remedy,
  });
}
