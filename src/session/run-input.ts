import { leftStanding, type RunInput } from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import type { AgentState, SessionParts } from './state.js';

/** What a run is planned on: the session as it stands, caught up with its log. */
export function inputFor(state: AgentState, parts: SessionParts, trigger: Trigger): RunInput {
  const { gauge, measureDraft, count, clock, timer, policy } = parts;
  const { log, references, statements, digests, secrets, ledger, isPinned, projection, stageStates } = state;
  references.catchUp();
  statements.catchUp();
  digests.catchUp();
  secrets.catchUp();
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
    claims: { artifacts: references.artifacts, statements },
    left: leftStanding(ledger.records),
    states: stageStates,
  };
}
