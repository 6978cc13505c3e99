/** Spillway: context compaction for long-running LLM agents. */
import {
  ANYTHING,
  either,
  fieldFaults,
  FUNCTION,
  having,
  listOf,
  NULL,
  OBJECT,
  oneOf,
  SpillwayError,
  TEXT,
  type Kind,
} from './errors/index.js';
import type { ConfigSources } from './container/index.js';
import type { Spillway } from './session/index.js';
import type {
  CompactionStage,
  Plugin,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from './spi/index.js';

export interface SpillwayOptions extends ConfigSources {
  /** Model the sessions talk to; its limits come from the catalogue. */
  readonly model?: string;
  /** Its window in tokens, output included; 0 on purpose means unlimited. */
  readonly window?: number;
  /** What requests may take in tokens, nothing kept back; wins over `window`. */
  readonly inputBudget?: number;
  /** Stages of your own, to be named in `settings.roster`. */
  readonly stages?: readonly CompactionStage[];
  /**
   * Plugins: names of packages, or paths taken from the working directory, in place of those that the setting `plugins`
   * names; and plugins of your own, with a name each.
   */
  readonly plugins?: readonly (string | Plugin)[];
  readonly counter?: TokenCounter;
  /** How requests are written: a name of `formats`, or a format of your own. Default `openai-chat`. */
  readonly format?: string | WireFormat;
  /** A summarizer of your own, in place of `settings.summarizer: model`. */
  readonly summarizer?: Summarizer;
  /** Facts for every request of a summarizer, or what gives them each time: the current branch, the current goal. */
  readonly summaryLines?: SummaryLines;
  /**
   * Where `open` keeps sessions: `memory:`, `sqlite:./spillway.db`, `postgres://HOST/NAME`, or a store of your own. Wins
   * over the setting `store`; null: none, whatever that says.
   */
  readonly store?: string | SessionStore | null;
  /**
   * A store that fails before a call: `closed` (the default) rejects; `open` goes on from memory, tells it (`store-failed`)
   * and stores what waits when the store is back. An answer that came is never lost either way.
   */
  readonly onStoreFailure?: 'open' | 'closed';
}

/** Opens the engine. Rejects with `CONFIG_INVALID`, naming every fault. */
export async function createSpillway(options: SpillwayOptions = {}): Promise<Spillway> {
  checkOptions(options);
  const { model, window, inputBudget, stages, format, store, counter, summarizer, ...rest } = options;
  const { summaryLines, plugins = [], settings, ...sources } = rest;
  const named = plugins.filter((plugin): plugin is string => typeof plugin === 'string');
  // Inversify is 365 files: they are read when an engine is opened, not when the library is imported.
  const { createContainer, openSpillway } = await import('./container/index.js');
  const container = createContainer({
    Stage: stages,
    Plugin: plugins.filter((plugin): plugin is Plugin => typeof plugin !== 'string'),
    TokenCounter: counter,
    WireFormat: typeof format === 'object' ? format : undefined,
    Summarizer: summarizer,
    SummaryLines: summaryLines && { lines: summaryLines },
  });
  return openSpillway(container, {
    ...sources,
    ...(typeof format === 'string' && { format }),
    ...(store !== undefined && { store }),
    settings: {
      ...settings,
      ...(model !== undefined && { model }),
      ...(window !== undefined && { window }),
      ...(inputBudget !== undefined && {
        window: inputBudget,
        reserve: { ...settings?.reserve, output: 0 },
      }),
      ...(named.length > 0 && { plugins: named }),
    },
  });
}

/** Every option there is, and its kind; what numbers may be is said with the settings. */
const OPTIONS = {
  profile: TEXT,
  configFile: TEXT,
  env: OBJECT,
  settings: OBJECT,
  model: either(TEXT, NULL),
  window: ANYTHING,
  inputBudget: ANYTHING,
  stages: listOf(having({ name: TEXT, options: OBJECT, plan: FUNCTION })),
  plugins: listOf(either(TEXT, OBJECT)),
  counter: having({ count: FUNCTION }),
  format: either(TEXT, OBJECT),
  summarizer: OBJECT,
  summaryLines: either(listOf(TEXT), FUNCTION),
  store: either(TEXT, OBJECT, NULL),
  onStoreFailure: oneOf('open', 'closed'),
} satisfies Record<keyof SpillwayOptions, Kind>;

function checkOptions(options: SpillwayOptions): void {
  const remedy = 'Name options of their kinds; what a file can say goes under settings.';
  const faults = fieldFaults('createSpillway', options, OPTIONS, remedy);
  if (faults[0]) throw new SpillwayError('CONFIG_INVALID', { ...faults[0], faults });
}

export type { ConfigSources } from './container/index.js';
export { SpillwayError, ERROR_CODES, type ErrorCode, type ErrorDetails, type Fault } from './errors/index.js';
export type {
  CompactionThresholds,
  ConfigEntry,
  DeepPartial,
  AgentConfig,
  EffectiveConfig,
  Instructions,
  JsonSchema,
  KnobSchemas,
  Overrides,
  Origin as SettingOrigin,
  Settings,
} from './config/index.js';
export { openStore, type StoreOptions } from './stores/index.js';
export { packageFolder } from './package-folder.js';
export * from './session/index.js';
export type { BoughtText, PressureEvent } from './pressure/index.js';
export type {
  Basis,
  Binding,
  Budget,
  Calibration,
  Catalogue,
  LearnedLimits,
  Limits,
  LimitSource,
  ModelLimits,
  PriceOf,
  Reading,
  Usage,
} from './tokens/index.js';
export type { BreakerState } from './summarizers/index.js';
export { formats, openaiChat, readOverflow, withoutHostTrimming, type Untrimmed } from './formats/index.js';
export { definePlugin, defineStage, reducerStage, SummarizerError } from './spi/index.js';
export type {
  CompactionStage,
  ContextMessage,
  Overflow,
  Plugin,
  Proposal,
  Reduce,
  Reduced,
  ReducerBudget,
  SessionStore,
  StageGoal,
  Summarizer,
  SummaryAnswer,
  SummaryLines,
  SummaryRequest,
  TranscriptView,
  ViewExchange,
} from './spi/index.js';
export type {
  CompactionRecord,
  Flag,
  Edit,
  Message,
  ModelCall,
  Part,
  Plan,
  ViewMessage,
  Warning,
  WarningCode,
} from './transcript/index.js';
