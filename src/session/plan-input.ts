import type { RunInput } from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import type { SessionCore } from './session-parts.js';

/** What a run is planned on: the session as it stands, caught up with its log. */
export function planInput({ thread, parts }: SessionCore, trigger: Trigger): RunInput {
  const { gauge, measureDraft, count, clock, timer, policy } = parts;
  const { log, ledger, isPinned, projection, memory, reader } = thread;
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
