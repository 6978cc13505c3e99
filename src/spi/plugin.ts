import type { ZodType } from 'zod/v4';
import type { CompactionRecord, Message } from '../transcript/index.js';
import type { ContextMessage } from './lists/index.js';
import type { CompactionStage } from './stage.js';
import type { Summarizer } from './summarizer.js';
import type { TokenCounter } from './token-counter.js';
import type { WireFormat } from './wire-format.js';

/** A plugin's role in addition to what it provides: it observes compactions, or it makes them. */
export type PluginRole = 'observer' | 'compactor';

/**
 * A plugin: the export `plugin` (or the default export) of a package's module, or a function that makes it, called once
 * per engine. Its contents have to match the `spillway` field of the package's package.json.
 */
export interface Plugin<Knobs = unknown> {
  /** Required for a plugin passed in code. Otherwise the default is `spillway.name` or the package's name. */
  readonly name?: string;
  /** One sentence for operators. */
  readonly summary?: string;
  /**
   * Settings for operators: an object schema with a default for every field. `describe` and `meta({ title })` give the
   * text; `min`, `max` and `multipleOf` make a slider, `enum` a choice, a boolean a toggle, a string a text field, and
   * a string with `meta({ knob: 'model' })` a picker of models. The values are in the settings under `knobs.<name>`.
   */
  readonly knobs?: ZodType<Knobs>;
  /** Stages that `roster` may name. */
  readonly stages?: readonly CompactionStage[];
  /** Summarizers that `summarizer` may name. */
  readonly summarizers?: readonly Summarizer[];
  /** Token counters that `counter` may name. */
  readonly counters?: readonly TokenCounter[];
  /** Wire formats that sessions may name. */
  readonly formats?: readonly WireFormat[];
  readonly observer?: CompactionObserver<Knobs>;
  readonly compactor?: Compactor<Knobs>;
  /** Called once when the engine opens, within the load deadline. */
  open?(api: PluginApi<Knobs>): void | Promise<void>;
  /** Called once when the engine closes. */
  close?(): void | Promise<void>;
}

/** All that a plugin can reach: never the container, a session, or a store. */
export interface PluginApi<Knobs = unknown> {
  /** The plugin's name in settings, events and errors. */
  readonly name: string;
  readonly log: PluginLog;
  readonly values: PluginValues;
  /** The knobs in force, frozen; in a hook those of the hook's agent. */
  readonly knobs: Knobs;
}

/** Messages of a plugin to operators: emitted as event `plugin-said`, never printed. */
export interface PluginLog {
  /** For the plugin's author. */
  debug(message: string): void;
  /** What the plugin does. */
  info(message: string): void;
  /** A condition that an operator may have to act on. */
  warn(message: string): void;
  /** A failure of the plugin. */
  error(message: string): void;
}

/**
 * A plugin's own keys and values (plain JSON), in the session store if there is one, otherwise in memory. In `open`
 * they belong to all sessions, in a hook only to the hook's session.
 */
export interface PluginValues {
  /** Undefined if the key has no value. */
  get(key: string): Promise<unknown>;
  /** Undefined removes the key. */
  set(key: string, value: unknown): Promise<void>;
  /** All values, by key. */
  all(): Promise<Readonly<Record<string, unknown>>>;
}

/** The API of a plugin during one of its hooks. */
export interface HookApi<Knobs = unknown> extends PluginApi<Knobs> {
  /** Aborts when the session no longer waits for the hook. */
  readonly signal: AbortSignal;
  /** Asks the session's summarizer, at the session's cost. Absent if none is configured. */
  readonly summarize?: (request: PluginSummaryRequest) => Promise<string>;
}

/** A plugin's request for text from the session's summarizer. */
export interface PluginSummaryRequest {
  /** What to write. */
  readonly instruction: string;
  /** The material to write about; sent as quoted data, without secrets. */
  readonly source: readonly string[];
  readonly maxTokens: number;
}

/** A message of the view for plugins: a frozen copy, without its format's own `wire`. */
export type SeenMessage = Omit<ContextMessage, 'wire'>;

/** The state before a compaction, for hooks. Tokens on the scale of the session's readings. */
export interface PreCompact {
  readonly sessionId: string;
  readonly agentPath: string;
  readonly model: string | null;
  /** An operator asked for it, or the provider refused the request: gates did not matter. */
  readonly forced: boolean;
  /** The plan is only for an operator to look at; it may never be committed. */
  readonly dryRun: boolean;
  /** The reason of the run, e.g. `pressure 0.913`. */
  readonly reason: string;
  /** Tokens of the view, and the budget of a request. */
  readonly tokens: number;
  readonly budget: number;
  /** The pressure that the run aims at; a share of the budget. */
  readonly target: number;
  /** Percent of the model's window in use, 0 to 100 and more; of the budget if the window is unlimited. */
  readonly percent: number;
  /** Messages in the view. */
  readonly count: number;
  /** Newest messages that compaction keeps (`thresholds.retainCount`). */
  readonly kept: number;
  readonly messages: readonly SeenMessage[];
}

/** An observer's answer before a compaction; no answer changes nothing. */
export interface PreCompactAnswer {
  /** No compaction now; a string gives the reason. Ignored if the request would not fit without compaction. */
  readonly skip?: boolean | string;
  /** Ids of messages that this compaction must leave unchanged. */
  readonly retain?: readonly string[];
  /** Texts to carry next to the newest replacement, instead of the texts that this plugin carried before. */
  readonly inject?: string | readonly string[];
}

/** The result of a compaction, for hooks. */
export interface PostCompact {
  readonly sessionId: string;
  readonly agentPath: string;
  readonly model: string | null;
  /** Whether something was compacted. */
  readonly success: boolean;
  /** The reason for the result, for people. */
  readonly reason: string;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Characters of all texts that now replace messages; 0 if there are none. */
  readonly summaryLength: number;
  /** The texts of those replacements, one per message. */
  readonly summaries: readonly string[];
  /** Messages that are no longer sent, in order of the log: frozen copies. */
  readonly superseded: readonly Omit<Message, 'wire'>[];
  /** Absent if nothing was compacted. */
  readonly record?: CompactionRecord;
}

/** Observes compactions. Each hook has a deadline; an exception is reported and has no other effect. */
export interface CompactionObserver<Knobs = unknown> {
  /** Called before anything is planned. */
  preCompact?(
    event: PreCompact,
    api: HookApi<Knobs>,
  ): PreCompactAnswer | null | void | Promise<PreCompactAnswer | null | void>;
  /** Called after the end. Read-only. */
  postCompact?(event: PostCompact, api: HookApi<Knobs>): void | Promise<void>;
}

/** A message that a compactor wrote; Spillway adds the other fields of a message. */
export interface WrittenMessage {
  readonly text: string;
  /** Absent: Spillway makes an id. */
  readonly id?: string;
}

/** The complete list of messages to send. */
export interface CompactorResult {
  /**
   * The messages that stay, in their order, by id; a whole message may be returned with shorter parts. New messages
   * take the place of removed ones: texts, or assistant messages.
   */
  readonly messages: readonly (Pick<Message, 'id'> | WrittenMessage | Message)[];
  /** Ids of the removed messages; if given, they have to match the list. */
  readonly superseded?: readonly string[];
  /** What was done, in a sentence for operators. */
  readonly summary?: string;
}

/** Replaces the stages under `compaction.strategy: delegate`; one per agent. */
export interface Compactor<Knobs = unknown> {
  /**
   * Returns the list that replaces `event.messages`. If this method throws, is late, or returns a list that breaks a
   * rule, the oldest messages are dropped instead.
   */
  compact(event: PreCompact, api: HookApi<Knobs>): CompactorResult | Promise<CompactorResult>;
}

/** Types the knobs of a plugin in code from their schema. */
export function definePlugin<Knobs>(plugin: Plugin<Knobs>): Plugin<Knobs> {
  return Object.freeze({ ...plugin });
}
