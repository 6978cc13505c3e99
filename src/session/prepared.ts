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

/** What a run came to, for whoever asked. */
export interface RunReport {
  readonly kind: 'below-gate' | 'waiting' | 'noop' | 'committed' | 'pending' | 'unreachable';
  /** For operators: why it ended so. */
  readonly reason: string;
  readonly stages: readonly StageOutcome[];
  readonly record?: CompactionRecord;
  /** Of a run that came to nothing: what it would have done. */
  readonly strategy?: readonly string[];
  /** Where an operator is asked first: what waits for the answer. */
  readonly plan?: Plan;
  readonly error?: SpillwayError;
  /** After an automatic compaction of an agent that would stall: it was told to go on, or the host is asked whether to. */
  readonly continue?: 'told' | 'ask';
  /** Calls of a summarizer, failed ones too; absent where none was asked. The record has them as well. */
  readonly calls?: readonly ModelCall[];
  /** What an operator should know and do, where compaction was not enough; the record has them as well. */
  readonly warnings?: readonly Warning[];
  /** Name of the plugin that asked for no compaction, where one did. */
  readonly skippedBy?: string;
  /** Hooks of plugins that ran before it; absent where none did. */
  readonly hooks?: readonly HookRun[];
  /** Milliseconds of planning, waiting for text, and committing; 0 where no run started. */
  readonly durationMs: number;
}

/** A request that fits. `Message`: one message in the client's own types, where the session was given them. */
export interface Prepared<Message = unknown> {
  /** Number of this call in the session, from 1: what `explain` asks by. */
  readonly call: number;
  /** In the session's wire format; a list of the caller's own. */
  readonly messages: Message[];
  /** What that format carries beside the messages, by body field: `system`, `systemInstruction`. Empty for most. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly view: readonly ViewMessage[];
  readonly reading: Reading;
  readonly run: RunReport;
  /** Tokens at the front that are the same bytes as in the request before: what a provider's cache can serve. */
  readonly unchangedPrefixTokens: number;
  /** What the serialiser had to mend. */
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
    remedy: 'Approve or reject it, edited where you wish; nothing is lost meanwhile.',
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
