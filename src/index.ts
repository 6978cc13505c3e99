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
  /** Model of the sessions; its limits come from the catalogue. */
  readonly model?: string;
  /** Its window in tokens, including output; an explicit 0 means unlimited. */
  readonly window?: number;
  /** Tokens that a request may take, without any reserve for output; takes precedence over `window`. */
  readonly inputBudget?: number;
  /** Your own stages, which `settings.roster` has to name. */
  readonly stages?: readonly CompactionStage[];
  /**
   * Plugins: names of packages, or paths relative to the working directory, which replace those in the setting
   * `plugins`; and your own plugin objects, each with a name.
   */
  readonly plugins?: readonly (string | Plugin)[];
  readonly counter?: TokenCounter;
  /** Wire format of requests: a name in `formats`, or your own format. Default `openai-chat`. */
  readonly format?: string | WireFormat;
  /** Your own summarizer, in place of `settings.summarizer: model`. */
  readonly summarizer?: Summarizer;
  /** Facts for every request to a summarizer, or a function that returns them: the current branch, the current goal. */
  readonly summaryLines?: SummaryLines;
  /**
   * Store for sessions of `open`: `memory:`, `sqlite:./spillway.db`, `postgres://HOST/NAME`, or your own store. Takes
   * precedence over the setting `store`; null: no store, even if the setting names one.
   */
  readonly store?: string | SessionStore | null;
  /**
   * If a store fails before a call, `closed` (the default) rejects the call; `open` goes on from memory, emits
   * `store-failed`, and stores the rest when the store is back. In both modes, no received answer is lost.
   */
  readonly onStoreFailure?: 'open' | 'closed';
}

/** Opens the engine. Rejects with `CONFIG_INVALID`, which names every fault. */
export async function createSpillway(options: SpillwayOptions = {}): Promise<Spillway> {
  checkOptions(options);
  const { model, window, inputBudget, stages, format, store, counter, summarizer, ...rest } = options;
  const { summaryLines, plugins = [], settings, ...sources } = rest;
  const named = plugins.filter((plugin): plugin is string => typeof plugin === 'string');
  // Inversify has 365 files. They are read when an engine is opened, not when the library is imported.
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

/** All options and their kinds. The settings check the values of numbers. */
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
