import {
  leftStanding,
  planPass,
  planSignatures,
  type Pass,
  type RunInput,
  type RunOutcome,
} from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import { commit } from './commit.js';
import { inputFor } from './run-input.js';
import type { AgentState, SessionParts } from './state.js';

/** What needs no gate: free work before a call, and at the head of a run. */

/** A pass keeps the view stable by a record of its own; it is no compaction: no history, no hooks, no events. */
export function commitPass(pass: Pass, state: AgentState, parts: SessionParts): void {
  commitQuietly(pass, (input) => planPass(input, pass), state, parts);
}

/** Reasoning that a compaction had left to an open tool loop, once that loop is over. */
export function commitSignatures(state: AgentState, parts: SessionParts): void {
  if (leftStanding(state.ledger.records).length === 0) return;
  const why = { kind: 'prune', detail: 'signed reasoning: its tool loop is over' } as const;
  commitQuietly(why, planSignatures, state, parts);
}

function commitQuietly(
  { kind, detail }: Trigger,
  plan: (input: RunInput) => RunOutcome | undefined,
  state: AgentState,
  parts: SessionParts,
): void {
  const started = parts.timer();
  const outcome = plan(inputFor(state, parts, { kind, detail }));
  if (outcome?.kind === 'planned') commit(outcome, 'prune', state, parts, parts.timer() - started);
}
