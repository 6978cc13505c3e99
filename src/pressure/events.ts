import { inputOf, type Reading } from '../tokens/index.js';
import type { ModelCall, Warning } from '../transcript/index.js';

/** The limits that a provider's refusal names, in tokens. */
interface LearnedFigures {
  readonly contextWindow?: number;
  readonly inputLimit?: number;
  /** Tokens reserved for the answer if a request names none. */
  readonly reserved?: number;
}

/** One call of a summarizer in an event. Tokens as reported; absent if not reported. */
export interface BoughtText {
  readonly endpoint: string;
  readonly model?: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost: number | null;
}

/** An event on an agent path, in order. Subscribers only listen; they can neither start nor stop a run. */
export type PressureEvent =
  /** Before each call. */
  | { readonly kind: 'reading'; readonly reading: Reading }
  /** The reading reached another gate: the stage of the highest open gate; null below the first gate. */
  | { readonly kind: 'crossed'; readonly gate: string | null; readonly pressure: number }
  /** A run begins. */
  | { readonly kind: 'triggered'; readonly reading: Reading; readonly reason: string }
  /** A stage ended, before any text is requested. For a plan that was made between turns: when the plan is used. */
  | {
      readonly kind: 'firing';
      readonly stage: string;
      readonly outcome: string;
      readonly edits: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly durationMs: number;
    }
  /** The stages after the last one stay closed. Emitted when the plan is complete, before any text is requested. */
  | {
      readonly kind: 'short-circuit';
      readonly after: string;
      readonly pressure: number;
      readonly skipped: readonly string[];
    }
  /** A call of a summarizer's model ended. Emitted when its answer arrives. */
  | { readonly kind: 'model-call'; readonly call: ModelCall }
  | { readonly kind: 'noop'; readonly reason: string }
  /** Compaction was not enough; the message tells an operator what to do. */
  | ({ readonly kind: 'warning' } & Warning)
  | {
      readonly kind: 'completed';
      readonly recordId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Milliseconds of planning, waiting for text, and committing. */
      readonly durationMs: number;
      /** Milliseconds that each stage took to plan. */
      readonly stageMs: Readonly<Record<string, number>>;
      /** Calls of a summarizer, in the order in which they were made. */
      readonly calls: readonly BoughtText[];
    }
  /** A request was written. `durationMs` covers everything before the request is sent. */
  | {
      readonly kind: 'prepared';
      readonly call: number;
      readonly tokens: number;
      readonly pressure: number;
      readonly unchangedPrefixTokens: number;
      readonly run: string;
      readonly durationMs: number;
    }
  /** A recall was answered, with this number of passages. */
  | { readonly kind: 'recalled'; readonly pieces: number; readonly durationMs: number }
  /** Passages came back automatically, because a message speaks of them: as `message`, from `handles`. */
  | {
      readonly kind: 'brought-back';
      readonly message: string;
      readonly by: 'user' | 'work';
      readonly behind: string;
      readonly handles: readonly string[];
      readonly tokens: number;
      readonly durationMs: number;
    }
  /**
   * A compaction waits in the log for the next request. `auto`: a provider reported more tokens than its model takes,
   * and the driver of the agent's loop ends the step there.
   */
  | { readonly kind: 'queued'; readonly auto: boolean }
  /** A plan waits for an operator. */
  | {
      readonly kind: 'pending';
      readonly plan: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** An operator approved the plan; `completed` reports the result. */
  | { readonly kind: 'approved'; readonly plan: string; readonly recordId: string }
  | { readonly kind: 'rejected'; readonly plan: string }
  /** Compactions were undone, newest first. */
  | { readonly kind: 'undone'; readonly recordIds: readonly string[] }
  /** The log was rolled back: `length` messages remain, and `left` messages were left out. */
  | {
      readonly kind: 'rolled-back';
      readonly length: number;
      readonly left: number;
      readonly recordIds: readonly string[];
    }
  /** A refusal named a limit of its model, which is used from now on. Tokens. */
  | {
      readonly kind: 'limit-learned';
      readonly model: string | null;
      readonly limits: LearnedFigures;
      readonly budget: number;
    }
  /** A client went back or changed its history: the log now has `to` messages, and `left` messages were left out. */
  | { readonly kind: 'rewound'; readonly to: number; readonly left: number }
  /** A request had another conversation than its session and got its own agent path. */
  | { readonly kind: 'aside'; readonly agentPath: string }
  /** The store failed, and the session continued without it. Pending writes are stored with the next write. */
  | { readonly kind: 'store-failed'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** A plugin's hook was called. `outcome`: done, or the kind of failure; `message` describes it. */
  | {
      readonly kind: 'plugin-hook';
      readonly plugin: string;
      readonly hook: string;
      readonly outcome: 'done' | 'threw' | 'late' | 'wrong';
      readonly durationMs: number;
      readonly message?: string;
    }
  /** A plugin's message to operators. */
  | {
      readonly kind: 'plugin-said';
      readonly plugin: string;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly message: string;
    }
  /** A subscriber threw. Emitted once per stream; otherwise a faulty subscriber would fail at every event. */
  | { readonly kind: 'listener-failed'; readonly error: unknown }
  | { readonly kind: 'breaker'; readonly stage: string; readonly state: 'closed' | 'open' | 'half-open' };

/** A call of a summarizer as an event reports it. */
export function boughtText({ endpoint, model, outcome, durationMs, usage, cost }: ModelCall): BoughtText {
  return {
    endpoint,
    ...(model !== undefined && { model }),
    outcome,
    durationMs,
    ...(usage && { inputTokens: inputOf(usage), outputTokens: usage.outputTokens }),
    cost,
  };
}
