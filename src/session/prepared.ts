import { SpillwayError } from '../errors/index.js';
import type { Notice } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import type {
  CompactionRecord,
  HookRun,
  ModelCall,
  Plan,
  StageOutcome,
  ViewMessage,
  Warning,
} from '../transcript/index.js';

/** The result of a run, for the caller. */
export interface RunReport {
  readonly kind: 'below-gate' | 'waiting' | 'noop' | 'committed' | 'pending' | 'unreachable';
  /** For operators: the reason for the result. */
  readonly reason: string;
  readonly stages: readonly StageOutcome[];
  readonly record?: CompactionRecord;
  /** The strategies that a run tried if it committed nothing. */
  readonly strategy?: readonly string[];
  /** The plan that waits for an operator's answer. */
  readonly plan?: Plan;
  readonly error?: SpillwayError;
  /** After an automatic compaction of an agent that would stall: the agent was told to go on, or the host is asked. */
  readonly continue?: 'told' | 'ask';
  /** Summarizer calls, including failed ones; absent if no summarizer was asked. The record also has them. */
  readonly calls?: readonly ModelCall[];
  /** Warnings and advice for an operator if compaction was not enough. The record also has them. */
  readonly warnings?: readonly Warning[];
  /** Name of the plugin that skipped the compaction, if one did. */
  readonly skippedBy?: string;
  /** Hooks of plugins that ran before the compaction; absent if there were none. */
  readonly hooks?: readonly HookRun[];
  /** Milliseconds of planning, waiting for text, and committing; 0 if no run started. */
  readonly durationMs: number;
}

/** A request that fits. `Message`: the client's own type of a message, if the session was given it. */
export interface Prepared<Message = unknown> {
  /** Number of this call in the session, from 1; `explain` takes it. */
  readonly call: number;
  /** The messages in the session's wire format. The caller may change this list. */
  readonly messages: Message[];
  /** Other content that the format carries, by body field: `system`, `systemInstruction`. Empty for most formats. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly view: readonly ViewMessage[];
  readonly reading: Reading;
  readonly run: RunReport;
  /** Tokens at the front that are the same bytes as in the request before; a provider's cache can serve them. */
  readonly unchangedPrefixTokens: number;
  /** Corrections that the serialiser had to make. */
  readonly notices: readonly Notice[];
}

export function noRun(isBelowGate: boolean): RunReport {
  const why = isBelowGate
    ? ({ kind: 'below-gate', reason: 'pressure is below the first gate' } as const)
    : ({ kind: 'waiting', reason: 'too little is new since the last run came to nothing' } as const);
  return { ...why, stages: [], durationMs: 0 };
}

export const belowThreshold = (threshold: number): RunReport => ({
  kind: 'below-gate',
  reason: `pressure is below the threshold of ${threshold} that was asked for`,
  stages: [],
  durationMs: 0,
});

export function pendingReport(plan: Plan): RunReport {
  const error = new SpillwayError('COMPACTION_PENDING', {
    subject: `plan ${plan.hash.slice(0, 12)}`,
    found: 'waiting for an operator',
    remedy: 'Approve or reject it; you may edit it first. Nothing is lost meanwhile.',
    facts: { plan: plan.hash, tokensBefore: plan.before.tokens, tokensAfter: plan.after.tokens },
  });
  return {
    kind: 'pending',
    reason: 'a plan waits for an operator',
    stages: plan.stages,
    plan,
    error,
    durationMs: 0,
  };
}
