import type { RunInput } from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import type { SessionParts } from './session-parts.js';
import type { Thread } from './thread.js';

type PlannerParts = Pick<SessionParts, 'clock' | 'count' | 'gauge' | 'measureDraft' | 'policy' | 'timer'>;

/** Gathers what runs are planned on. */
export class Planner {
  readonly #thread: Thread;
  readonly #parts: PlannerParts;

  constructor(thread: Thread, parts: PlannerParts) {
    this.#thread = thread;
    this.#parts = parts;
  }

  /** The session as it stands, caught up with its log. */
  inputFor(trigger: Trigger): RunInput {
    const { gauge, measureDraft, count, clock, timer, policy } = this.#parts;
    const { log, ledger, isPinned, projection, memory, reader } = this.#thread;
    const { references, statements, digests, secrets } = reader.caughtUp();
    return {
      source: { log, references, holds: ledger.holds, isPinned, digests, secrets, trust: references.trust },
      projection,
      base: ledger.head,
      trigger,
      policy,
      forced: false,
      read: gauge.read,
      fixed: gauge.fixed,
      measure: measureDraft,
      count,
      clock: clock(),
      timer,
      claims: { artifacts: references.artifacts, statements, ended: ledger.endedClaims },
      states: memory.stageStates,
    };
  }
}
