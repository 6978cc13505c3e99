import type { PlannedEdit } from './edit.js';
import type { Size } from './message.js';

/** The reason for a run. */
export interface Trigger {
  readonly kind: 'pressure' | 'overflow' | 'cap' | 'trim' | 'prune' | 'manual';
  readonly detail: string;
}

/** The inputs of the run's decision; with log, ledger and configuration they yield the same bytes again. */
export interface DecisionInputs {
  /** Rendered tokens on the deciding scale, and the budget that they were compared with. */
  readonly tokens: number;
  readonly budget: number;
  readonly pressure: number;
  /** `estimated`, `calibrated` or `measured`, and the numbers behind the reading. */
  readonly derivation: readonly string[];
  /** Ratio from counted tokens to the deciding scale. */
  readonly scale: number;
  /** Milliseconds since the epoch, read once per run. */
  readonly clock: number;
  readonly logLength: number;
  /** Id of the log's last message; absent in plans of older versions, and if the log was empty. */
  readonly logEnd?: string;
  /** Set if the agent had the recall tool: the texts of this plan tell it to use the tool. */
  readonly recall?: true;
}

/**
 * The rule that an edit breaks: it names content out of view; changes protected or unseen content; splits an exchange;
 * has content of a wrong kind; has a replacement with a wrong role or a taken id; gains nothing; overlaps another edit;
 * or touches reasoning that has to stay.
 */
export type EditRule =
  'in-view' | 'protected' | 'unseen' | 'whole' | 'content' | 'replacement' | 'gain' | 'overlap' | 'reasoning';

/** Why the guard refused an edit: a code and a rule for programs, a message for people. */
export interface EditFault {
  readonly code: string;
  /** Absent if the stage failed or proposed no edit at all. */
  readonly breaks?: EditRule;
  readonly message: string;
}

/** One stage's part in a run, measured by the pipeline. */
export interface StageOutcome {
  readonly stage: string;
  readonly opensAt: number;
  readonly before: Size;
  readonly after: Size;
  readonly edits: number;
  /** Number of edits that the guard refused; the first few faults give the reasons. */
  readonly refused: number;
  readonly outcome: 'applied' | 'nothing' | 'failed' | 'refused';
  readonly faults: readonly EditFault[];
}

/** The tokens that may never leave the view, by kind. */
export interface Floor {
  readonly total: number;
  readonly parts: Readonly<
    Record<'tools' | 'pins' | 'unansweredUser' | 'openExchange' | 'unseen' | 'holds', number>
  >;
}

/** The treatment of signed reasoning after the earliest change of a batch. */
export interface ReasoningOutcome {
  readonly choice: 'keep' | 'strip' | 'summarise';
  /** Signed thoughts after the change that were removed (alone or with their steps), and those that remain. */
  readonly settled: number;
  readonly kept: number;
  readonly why: string;
  /** Start of the change: log position, and part of that message; -1 for the whole message. */
  readonly from: { readonly seq: number; readonly part: number };
}

/** A pinned message as it is sent: its tokens, its tokens in the log, and whether it was cut to its share. */
export interface PinnedMessage {
  readonly id: string;
  readonly tokens: number;
  readonly of: number;
  readonly cut: boolean;
}

/** A value that is previewed, approved, committed and undone as a whole. `hash` covers all other fields. */
export interface Plan {
  readonly base: string;
  readonly trigger: Trigger;
  readonly inputs: DecisionInputs;
  readonly stages: readonly StageOutcome[];
  readonly edits: readonly PlannedEdit[];
  readonly before: Size;
  readonly after: Size;
  readonly floor: Floor;
  /** The pins in view; absent in plans of older versions. */
  readonly pins?: readonly PinnedMessage[];
  /** First log position whose rendering changes: the request before it stays in the provider's cache. */
  readonly firstChanged: number;
  /** Absent if no signed reasoning was after the change. */
  readonly reasoning?: ReasoningOutcome;
  readonly hash: string;
}

/** Identifies a warning for programs. The message is for people, and its wording may change. */
export type WarningCode =
  /** The floor does not fit. */
  | 'floor-too-large'
  /** Stages or a compactor freed too little, or the strategy drops: the oldest messages were left out. */
  | 'oldest-dropped'
  /** After the run, pressure is still at the first gate or above. */
  | 'still-full'
  /** The source of a summary was too long for the summarizer's model. */
  | 'source-too-long'
  /** The provider accepts fewer tokens than the configured window. */
  | 'limit-below-window'
  /** A span that was held since an undo did not fit into a request and was compacted again. */
  | 'holds-gave-way'
  /** The messages since the last answer did not fit into a request: all but the user's newest were compacted unread. */
  | 'unread-gave-way'
  /** The floor does not fit next to the requested answer: less is reserved for the answer. */
  | 'answer-gives-way'
  /** The provider refused a request as too long again, or for the first time with nothing left to shrink. */
  | 'refused-again'
  /** Shrinking a refused request failed; it was not sent again. */
  | 'failed-after-refusal'
  /** The provider refused a reasoning signature: all signed reasoning was removed and the request sent again. */
  | 'signature-refused'
  /** A plugin's request could not be fulfilled. */
  | 'plugin-not-heeded'
  /** The model is unknown, so its window is a guess. */
  | 'window-guessed'
  /** The request had no room for content that an operator gave back. */
  | 'give-back-left-out';

/** Tells an operator that compaction was not enough, and what to do. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** One call of a summarizer, with any outcome. */
export interface ModelCall {
  readonly summarizer: string;
  readonly endpoint: string;
  /** The model that answered; absent if no model answered. */
  readonly model?: string;
  readonly prompt: string;
  /** Handle of the span or part that the text was to replace. */
  readonly handle: string;
  /** Number of the piece of the source, and of the attempt at that piece; both from 1. */
  readonly chunk: number;
  readonly attempt: number;
  readonly outcome: 'filled' | 'refused' | 'failed' | 'late' | 'cancelled';
  /** Why the text was not taken, or what was repaired in it. Never text from the endpoint. */
  readonly reason?: string;
  /** Tokens as the provider reported them; absent if it reported none. */
  readonly usage?: CallUsage;
  /** US dollars; null if the price or the usage is unknown. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/** Tokens of one call as the provider reported them. `inputTokens` excludes tokens that a cache gave or took. */
export interface CallUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** The source of a compaction's text: the prompt's own model, a named agent, the default, code, or none. */
export interface SummarizerChoice {
  readonly from: 'prompt' | 'agent' | 'default' | 'code' | 'none';
  /** The prompt, the agent, the model, or `extractive` if the text is our own. */
  readonly name: string;
}

/** One call of a plugin's hook for a compaction, and its outcome. */
export interface HookRun {
  readonly plugin: string;
  readonly hook: 'pre_compact' | 'compact' | 'post_compact';
  readonly outcome: 'done' | 'threw' | 'late' | 'wrong';
  readonly durationMs: number;
  /** The plugin's request, or the error. */
  readonly message?: string;
}

/** A committed plan. `prune` records keep the view stable but are no compactions: no history entry, no hooks. */
export interface CompactionRecord {
  readonly id: string;
  readonly kind: 'compaction' | 'prune';
  readonly status: 'committed' | 'pending' | 'undone';
  readonly plan: Plan;
  readonly committedAt: number;
  readonly durationMs: number;
  /** Milliseconds that each stage took to plan; not in the plan, whose hash must not depend on time. */
  readonly stageMs: Readonly<Record<string, number>>;
  /** Every call that was made to fill the slots, including failed calls; absent if no summarizer was called. */
  readonly calls?: readonly ModelCall[];
  /** Absent in a prune. */
  readonly summarizer?: SummarizerChoice;
  /** Model of the agent's calls; null if none was named. */
  readonly model?: string | null;
  /** Tokens at the front of the request that the plan left unchanged: the provider's cache still has them. */
  readonly unchangedTokens?: number;
  /** Warnings for an operator if compaction was not enough. */
  readonly warnings?: readonly Warning[];
  /** Slots that kept their deterministic text, with the reason; and the reason for refusing a compactor's list. */
  readonly fallbacks?: readonly string[];
  /** Plugin hooks that ran before the commit; absent if none ran. */
  readonly hooks?: readonly HookRun[];
  readonly flag?: Flag;
  readonly notes?: string;
}

/** An operator's possible ratings of a compaction. */
export const FLAGS = ['good', 'bad', 'neutral'] as const;
/** One rating of `FLAGS`. */
export type Flag = (typeof FLAGS)[number];

/** A span whose compaction an operator undid; not compacted again until released. Log positions, inclusive. */
export interface Hold {
  readonly from: number;
  readonly to: number;
}
