import { inputOf, type Reading } from '../tokens/index.js';
import type { ModelCall, Warning } from '../transcript/index.js';

/** What a refusal names, in tokens. */
interface LearnedFigures {
  readonly contextWindow?: number;
  readonly inputLimit?: number;
  /** Kept for the answer where a request asks for none. */
  readonly reserved?: number;
}

/** One call of a summarizer, as events tell it. Tokens as reported, where they were. */
export interface BoughtText {
  readonly endpoint: string;
  readonly model?: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost: number | null;
}

/** One thing that happened on an agent path, in order. Subscribers listen; they can neither start nor stop a run. */
export type PressureEvent =
  /** Before each call. */
  | { readonly kind: 'reading'; readonly reading: Reading }
  /** The reading stands at another gate than the one before it: the highest open one by its stage; null below the first. */
  | { readonly kind: 'crossed'; readonly gate: string | null; readonly pressure: number }
  /** A run begins. */
  | { readonly kind: 'triggered'; readonly reading: Reading; readonly reason: string }
  /** A stage has run: told as it ends, before any text is asked for. Of a plan from between turns, when it is taken. */
  | {
      readonly kind: 'firing';
      readonly stage: string;
      readonly outcome: string;
      readonly edits: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly durationMs: number;
    }
  /** The stages behind the last one stay shut. Told when the plan stands, before any text is asked for. */
  | {
      readonly kind: 'short-circuit';
      readonly after: string;
      readonly pressure: number;
      readonly skipped: readonly string[];
    }
  /** A model was asked for text, and this came of it. Told as its answer comes. */
  | { readonly kind: 'model-call'; readonly call: ModelCall }
  | { readonly kind: 'noop'; readonly reason: string }
  /** Compaction was not enough; what an operator can do. */
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
      /** Calls of a summarizer, in the order they were made. */
      readonly calls: readonly BoughtText[];
    }
  /** A request was written. Milliseconds of everything before it was sent. */
  | {
      readonly kind: 'prepared';
      readonly call: number;
      readonly tokens: number;
      readonly pressure: number;
      readonly unchangedPrefixTokens: number;
      readonly run: string;
      readonly durationMs: number;
    }
  /** Somebody read back what was said; so many pieces were found. */
  | { readonly kind: 'recalled'; readonly pieces: number; readonly durationMs: number }
  /** Passages came back beside a message, for it speaks of them: as `message`, so many tokens, from these handles. */
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
   * A compaction waits in the log for the next request. `auto`: a provider reported more than its model takes, and whoever
   * drives the agent's loop ends this step there.
   */
  | { readonly kind: 'queued'; readonly auto: boolean }
  /** A plan waits for an operator. */
  | {
      readonly kind: 'pending';
      readonly plan: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** An operator said yes to it; `completed` says what came of that. */
  | { readonly kind: 'approved'; readonly plan: string; readonly recordId: string }
  | { readonly kind: 'rejected'; readonly plan: string }
  /** Compactions that were taken back, newest first. */
  | { readonly kind: 'undone'; readonly recordIds: readonly string[] }
  /** The log ends earlier: so long it is now, and so many messages were left out. */
  | {
      readonly kind: 'rolled-back';
      readonly length: number;
      readonly left: number;
      readonly recordIds: readonly string[];
    }
  /** A refusal named a limit that its model is believed to have from now on. Tokens. */
  | {
      readonly kind: 'limit-learned';
      readonly model: string | null;
      readonly limits: LearnedFigures;
      readonly budget: number;
    }
  /** A client went back, or changed what it had sent: the log is so long now, and so many messages were left out. */
  | { readonly kind: 'rewound'; readonly to: number; readonly left: number }
  /** A request held another conversation than its session: it was given a path of its own. */
  | { readonly kind: 'aside'; readonly agentPath: string }
  /** The store did not do what it was asked, and the session went on without. What waits is stored with the next write. */
  | { readonly kind: 'store-failed'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** A hook of a plugin was called. `outcome`: done, or why nothing came of it; `message` says it in words. */
  | {
      readonly kind: 'plugin-hook';
      readonly plugin: string;
      readonly hook: string;
      readonly outcome: 'done' | 'threw' | 'late' | 'wrong';
      readonly durationMs: number;
      readonly message?: string;
    }
  /** A plugin says something to operators. */
  | {
      readonly kind: 'plugin-said';
      readonly plugin: string;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly message: string;
    }
  /** A subscriber threw: nothing else noticed. Told once for each stream, or a bad one would be told of for ever. */
  | { readonly kind: 'listener-failed'; readonly error: unknown }
  | { readonly kind: 'breaker'; readonly stage: string; readonly state: 'closed' | 'open' | 'half-open' };

/** A call of a summarizer as figures have it. */
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
