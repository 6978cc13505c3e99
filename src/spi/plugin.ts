import type { ZodType } from 'zod/v4';
import type { CompactionRecord, Message } from '../transcript/index.js';
import type { ContextMessage } from './lists/index.js';
import type { CompactionStage } from './stage.js';
import type { Summarizer } from './summarizer.js';
import type { TokenCounter } from './token-counter.js';
import type { WireFormat } from './wire-format.js';

/** What a plugin may be beside what it provides: it watches compactions, or it makes them. */
export type PluginRole = 'observer' | 'compactor';

/**
 * A plugin: what the module of a package exports as `plugin` (or as its default), or a function that makes it, called
 * once for each engine. What it holds has to agree with the `spillway` field of the package's package.json.
 */
export interface Plugin<Knobs = unknown> {
  /** Needed where it is handed in from code; a package's own name, or `spillway.name`, where it is absent. */
  readonly name?: string;
  /** One sentence for operators. */
  readonly summary?: string;
  /**
   * What operators may turn: an object schema with a default for everything. `describe` and `meta({ title })` say what
   * it is, `min`, `max` and `multipleOf` make a slider, `enum` a choice, a boolean a toggle, a string a text field, and a
   * string with `meta({ knob: 'model' })` a picker of models. Values stand under `knobs.<name>` in the settings.
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

/** All that reaches a plugin: never the container, a session, or a store. */
export interface PluginApi<Knobs = unknown> {
  /** The plugin's name, as settings, events and errors have it. */
  readonly name: string;
  readonly log: PluginLog;
  readonly values: PluginValues;
  /** As they are in force, frozen; in a hook those of its agent. */
  readonly knobs: Knobs;
}

/** What a plugin says to operators: told as event `plugin-said`, never printed. */
export interface PluginLog {
  /** What only its author wants to know. */
  debug(message: string): void;
  /** What it does. */
  info(message: string): void;
  /** What an operator may have to see to. */
  warn(message: string): void;
  /** What it could not do. */
  error(message: string): void;
}

/**
 * A plugin's own keys and values (plain JSON), in the session store where there is one, else in memory: of all sessions where they
 * were handed to `open`, of the hook's session alone in a hook.
 */
export interface PluginValues {
  /** Undefined where nothing was set. */
  get(key: string): Promise<unknown>;
  /** Undefined takes it away. */
  set(key: string, value: unknown): Promise<void>;
  /** Everything that is set, by key. */
  all(): Promise<Readonly<Record<string, unknown>>>;
}

/** What a plugin has while one of its hooks runs. */
export interface HookApi<Knobs = unknown> extends PluginApi<Knobs> {
  /** Aborts when nobody waits for the hook any more. */
  readonly signal: AbortSignal;
  /** Asks the session's summarizer; what it costs is the session's. Absent where none is configured. */
  readonly summarize?: (request: PluginSummaryRequest) => Promise<string>;
}

/** Text that a plugin wants of the session's summarizer. */
export interface PluginSummaryRequest {
  /** What to write. */
  readonly instruction: string;
  /** What it is written about; sent as quoted data, with secrets taken out. */
  readonly source: readonly string[];
  readonly maxTokens: number;
}

/** A message of the view as plugins see it: a frozen copy, without what its wire format keeps to itself. */
export type SeenMessage = Omit<ContextMessage, 'wire'>;

/** What hooks are told before a compaction. Tokens as the session's readings count them. */
export interface PreCompact {
  readonly sessionId: string;
  readonly agentPath: string;
  readonly model: string | null;
  /** An operator asked for it, or the provider refused the request: gates did not matter. */
  readonly forced: boolean;
  /** A plan is made for an operator to look at; it may never be committed. */
  readonly dryRun: boolean;
  /** Why it runs: `pressure 0.913`. */
  readonly reason: string;
  /** Of the view, and what a request may hold. */
  readonly tokens: number;
  readonly budget: number;
  /** Pressure it is to come down to; a share of the budget. */
  readonly target: number;
  /** Of the model's window, 0 to 100 and more; of the budget where the window has no end. */
  readonly percent: number;
  /** Messages in the view. */
  readonly count: number;
  /** Newest messages that compaction keeps (`thresholds.retainCount`). */
  readonly kept: number;
  readonly messages: readonly SeenMessage[];
}

/** What an observer may answer before a compaction; nothing where it only looks. */
export interface PreCompactAnswer {
  /** No compaction now; a text says why. Not heeded where the request would not fit without one. */
  readonly skip?: boolean | string;
  /** Ids of messages that this compaction must leave as they are. */
  readonly retain?: readonly string[];
  /** Text that is carried beside what stands for what leaves; takes the place of what this plugin had carried before. */
  readonly inject?: string | readonly string[];
}

/** What hooks are told after a compaction. */
export interface PostCompact {
  readonly sessionId: string;
  readonly agentPath: string;
  readonly model: string | null;
  /** Whether something was compacted. */
  readonly success: boolean;
  /** For people: why it ended so. */
  readonly reason: string;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Characters of all text that now stands for what left; 0 where nothing does. */
  readonly summaryLength: number;
  /** That text, a message each. */
  readonly summaries: readonly string[];
  /** Messages that are no longer sent, in the order of the log: frozen copies. */
  readonly superseded: readonly Omit<Message, 'wire'>[];
  /** Absent where nothing was compacted. */
  readonly record?: CompactionRecord;
}

/** Watches compactions. Each hook has a deadline; what it throws is told, and costs nothing else. */
export interface CompactionObserver<Knobs = unknown> {
  /** Before anything is planned. */
  preCompact?(
    event: PreCompact,
    api: HookApi<Knobs>,
  ): PreCompactAnswer | null | void | Promise<PreCompactAnswer | null | void>;
  /** When it has ended. Read-only. */
  postCompact?(event: PostCompact, api: HookApi<Knobs>): void | Promise<void>;
}

/** A message that a compactor wrote; Spillway gives it what else a message has. */
export interface WrittenMessage {
  readonly text: string;
  /** One of its own where absent. */
  readonly id?: string;
}

/** The whole list as it is to be sent. */
export interface CompactorResult {
  /**
   * What stays of what it was given, in its order, told by ids; the whole of a message may come back, with parts that are
   * shorter. What it wrote stands where others left: text, or an assistant's message.
   */
  readonly messages: readonly (Pick<Message, 'id'> | WrittenMessage | Message)[];
  /** Ids of those that left; where it is given it has to agree with the list. */
  readonly superseded?: readonly string[];
  /** What was done, in a sentence for operators. */
  readonly summary?: string;
}

/** Takes the place of the stages under `compaction.strategy: delegate`; one an agent. */
export interface Compactor<Knobs = unknown> {
  /**
   * The list in the place of `event.messages`. Where it throws, is late, or gives a list that breaks a rule, the oldest
   * messages are dropped instead.
   */
  compact(event: PreCompact, api: HookApi<Knobs>): CompactorResult | Promise<CompactorResult>;
}

/** For plugins written by hand: types the knobs from their schema. */
export function definePlugin<Knobs>(plugin: Plugin<Knobs>): Plugin<Knobs> {
  return Object.freeze({ ...plugin });
}
