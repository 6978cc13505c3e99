import type { PlannedEdit } from './edit.js';
import type { Size } from './message.js';

/** Why a run happened. */
export interface Trigger {
  readonly kind: 'pressure' | 'overflow' | 'cap' | 'trim' | 'prune' | 'manual';
  readonly detail: string;
}

/** What the run decided on; with log, ledger and configuration it yields the same bytes again. */
export interface DecisionInputs {
  /** Rendered tokens on the scale that decided, and the budget they were held against. */
  readonly tokens: number;
  readonly budget: number;
  readonly pressure: number;
  /** `estimated`, `calibrated` or `measured`, and the numbers behind it. */
  readonly derivation: readonly string[];
  /** Ratio from counted tokens to the deciding scale. */
  readonly scale: number;
  /** Milliseconds since the epoch, read once per run. */
  readonly clock: number;
  readonly logLength: number;
  /** Id of the log's last message; absent in plans of older versions, and where the log was empty. */
  readonly logEnd?: string;
  /** Set where the agent had the recall tool: the texts of this plan tell it to use it. */
  readonly recall?: true;
}

/**
 * What an edit breaks that the guard refuses: it names what is not in view, or what is protected; changes what was not
 * sent yet; takes half an exchange; puts what cannot stand there; has a replacement that may not speak, or a taken id;
 * gains nothing; touches what another edit touches; or reasoning that has to stay.
 */
export type EditRule =
  'in-view' | 'protected' | 'unseen' | 'whole' | 'content' | 'replacement' | 'gain' | 'overlap' | 'reasoning';

/** Why the guard refused an edit: a code and a rule for programs, a sentence for people. */
export interface EditFault {
  readonly code: string;
  /** Absent where the stage failed, or proposed no edit at all. */
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
  /** Edits the guard turned down; the first few faults say why. */
  readonly refused: number;
  readonly outcome: 'applied' | 'nothing' | 'failed' | 'refused';
  readonly faults: readonly EditFault[];
}

/** What may never leave the view, by part, in tokens. */
export interface Floor {
  readonly total: number;
  readonly parts: Readonly<
    Record<'tools' | 'pins' | 'unansweredUser' | 'openExchange' | 'unseen' | 'holds', number>
  >;
}

/** What a batch did about signed reasoning that stood behind its earliest change. */
export interface ReasoningOutcome {
  readonly choice: 'keep' | 'strip' | 'summarise';
  /** Signed thoughts that were taken out, by themselves or with their steps; and those that stay, behind the change. */
  readonly settled: number;
  readonly kept: number;
  readonly why: string;
  /** Where the change begins: log position, and part of that message; -1 for the whole of it. */
  readonly from: { readonly seq: number; readonly part: number };
}

/** A message that no stage may touch, as it is sent: in tokens, of how many, and whether it was cut to its share. */
export interface PinnedMessage {
  readonly id: string;
  readonly tokens: number;
  readonly of: number;
  readonly cut: boolean;
}

/** A value: previewed, approved, committed and undone as one. `hash` covers everything above it. */
export interface Plan {
  readonly base: string;
  readonly trigger: Trigger;
  readonly inputs: DecisionInputs;
  readonly stages: readonly StageOutcome[];
  readonly edits: readonly PlannedEdit[];
  readonly before: Size;
  readonly after: Size;
  readonly floor: Floor;
  /** What stands because it is pinned; absent in plans of older versions. */
  readonly pins?: readonly PinnedMessage[];
  /** First log position whose rendering changes: what lies before stays in the provider's cache. */
  readonly firstChanged: number;
  /** Absent where nothing signed stood behind the change. */
  readonly reasoning?: ReasoningOutcome;
  readonly hash: string;
}

/** What a warning is told apart by; its message is for people, and may change. */
export type WarningCode =
  /** What may never be removed does not fit. */
  | 'floor-too-large'
  /** What stages or a compactor did was not enough, or the strategy drops: the oldest messages were left out. */
  | 'oldest-dropped'
  /** The first gate is still passed after the run. */
  | 'still-full'
  /** The summarizer's model could not read what it was to summarise. */
  | 'source-too-long'
  /** The provider takes less than the window that the settings state. */
  | 'limit-below-window'
  /** What was held since an undo did not fit into a request: it was compacted again. */
  | 'holds-gave-way'
  /** Beside the answer that was asked for, what may never be removed would not fit: less is kept for the answer. */
  | 'answer-gives-way'
  /** The provider refused a request of this session as too long, and not for the first time, or nothing could be made smaller. */
  | 'refused-again'
  /** What was to make a refused request smaller failed: it was not sent again. */
  | 'failed-after-refusal'
  /** The provider refused a signature on reasoning: all that was signed was taken out, and the request sent again. */
  | 'signature-refused'
  /** What a plugin asked for could not be done. */
  | 'plugin-not-heeded'
  /** Nothing is known of the model, so its window is a guess. */
  | 'window-guessed'
  /** What an operator gave back had no room in the request. */
  | 'give-back-left-out';

/** What an operator should know and do, where compaction was not enough. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** One call of a summarizer, whatever came of it. */
export interface ModelCall {
  readonly summarizer: string;
  readonly endpoint: string;
  /** The model that answered; absent where none did. */
  readonly model?: string;
  readonly prompt: string;
  /** What the text was to stand for. */
  readonly handle: string;
  /** Piece of the source, from 1; and which attempt at it this was, from 1. */
  readonly chunk: number;
  readonly attempt: number;
  readonly outcome: 'filled' | 'refused' | 'failed' | 'late' | 'cancelled';
  /** Why it was not taken, or what was mended. Never a text of the endpoint's own. */
  readonly reason?: string;
  /** Provider's tokens, where it reported them. */
  readonly usage?: CallUsage;
  /** US dollars; null where the price or the usage is not known. */
  readonly cost: number | null;
  readonly durationMs: number;
}

/** Tokens of one call as the provider reported them. `inputTokens` are those that no cache gave or took. */
export interface CallUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** Who was to write the text of a compaction, and by what: its own prompt, a named agent, the default, code, or nobody. */
export interface SummarizerChoice {
  readonly from: 'prompt' | 'agent' | 'default' | 'code' | 'none';
  /** The prompt, the agent, the model, or `extractive` where text is our own. */
  readonly name: string;
}

/** A call of a plugin's hook before a compaction, and what came of it. */
export interface HookRun {
  readonly plugin: string;
  readonly hook: 'pre_compact' | 'compact' | 'post_compact';
  readonly outcome: 'done' | 'threw' | 'late' | 'wrong';
  readonly durationMs: number;
  /** What it asked for, or what went wrong. */
  readonly message?: string;
}

/** A committed plan. `prune` records keep the view stable but are no compaction: no history entry, no hooks. */
export interface CompactionRecord {
  readonly id: string;
  readonly kind: 'compaction' | 'prune';
  readonly status: 'committed' | 'pending' | 'undone';
  readonly plan: Plan;
  readonly committedAt: number;
  readonly durationMs: number;
  /** Time each stage took to plan; kept out of the plan, whose hash must not depend on it. */
  readonly stageMs: Readonly<Record<string, number>>;
  /** Every call that was made to fill its slots, failed ones too; absent where no summarizer was asked. */
  readonly calls?: readonly ModelCall[];
  /** Absent in a prune. */
  readonly summarizer?: SummarizerChoice;
  /** Model that the agent's calls went to; null where none was named. */
  readonly model?: string | null;
  /** Tokens at the front of the request that it left as they were: what a provider's cache still has. */
  readonly unchangedTokens?: number;
  /** What an operator should know and do, where compaction was not enough. */
  readonly warnings?: readonly Warning[];
  /** Which slots kept their deterministic text, and why; and why a compactor's list was not taken. */
  readonly fallbacks?: readonly string[];
  /** Hooks of plugins that ran before it; absent where none did. */
  readonly hooks?: readonly HookRun[];
  readonly flag?: Flag;
  readonly notes?: string;
}

/** What an operator may think of a compaction. */
export const FLAGS = ['good', 'bad', 'neutral'] as const;
/** One of them. */
export type Flag = (typeof FLAGS)[number];

/** A span an operator undid a compaction of; left alone until released. Log positions, inclusive. */
export interface Hold {
  readonly from: number;
  readonly to: number;
}
