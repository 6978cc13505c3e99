/** Spillway: context compaction for long-running LLM agents. */
import { createContainer, openSpillway, SERVICES, type ConfigSources } from './container.js';
import type { Spillway } from './session/index.js';
import { formatNamed } from './formats/index.js';
import type {
  CompactionStage,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from './spi/index.js';
import { openStore } from './storage/index.js';

export interface SpillwayOptions extends ConfigSources {
  /** Model the sessions talk to; its limits come from the catalogue. */
  readonly model?: string;
  /** Its window in tokens, output included; 0 on purpose means unlimited. */
  readonly window?: number;
  /** What requests may take in tokens, nothing kept back; wins over `window`. */
  readonly inputBudget?: number;
  /** Stages of your own, to be named in `settings.roster`. */
  readonly stages?: readonly CompactionStage[];
  readonly counter?: TokenCounter;
  /** How requests are written: a name of `formats`, or a format of your own. Default `openai-chat`. */
  readonly format?: string | WireFormat;
  /** A summarizer of your own, in place of `settings.summarizer: model`. */
  readonly summarizer?: Summarizer;
  /** Facts for every request of a summarizer, or what gives them each time: the current branch, the current goal. */
  readonly summaryLines?: SummaryLines;
  /** Where `open` keeps sessions: `memory:`, `sqlite:./spillway.db`, `postgres://HOST/NAME`, or a store of your own. */
  readonly store?: string | SessionStore;
}

/** Opens the engine without a container in sight. Rejects with `CONFIG_INVALID`, naming every fault. */
export async function createSpillway(options: SpillwayOptions = {}): Promise<Spillway> {
  const {
    model,
    window,
    inputBudget,
    stages = [],
    counter,
    summarizer,
    summaryLines,
    format,
    store,
    ...sources
  } = options;
  const container = createContainer();
  for (const stage of stages) container.bind(SERVICES.Stage).toConstantValue(stage);
  if (counter) container.bind(SERVICES.TokenCounter).toConstantValue(counter);
  if (format !== undefined) container.rebind(SERVICES.WireFormat).toConstantValue(formatNamed(format));
  if (summarizer) container.bind(SERVICES.Summarizer).toConstantValue(summarizer);
  if (summaryLines) container.bind(SERVICES.SummaryLines).toConstantValue({ lines: summaryLines });
  const kept = typeof store === 'string' ? await openStore(store) : store;
  if (kept) container.bind(SERVICES.Store).toConstantValue(kept);
  const settings = {
    ...sources.settings,
    ...(model !== undefined && { model }),
    ...(window !== undefined && { window }),
    ...(inputBudget !== undefined && {
      window: inputBudget,
      reserve: { ...sources.settings?.reserve, output: 0 },
    }),
  };
  try {
    return await openSpillway(container, { ...sources, settings });
  } catch (error) {
    if (kept !== store) await kept?.close();
    throw error;
  }
}

export { createContainer, openSpillway, SERVICES, type ConfigSources } from './container.js';
export { SpillwayError, ERROR_CODES, type ErrorCode, type ErrorDetails, type Fault } from './errors/index.js';
export type {
  CompactionThresholds,
  ConfigEntry,
  DeepPartial,
  EffectiveConfig,
  Overrides,
  Origin as SettingOrigin,
  Settings,
} from './config/index.js';
export { openStore, type StoreOptions } from './storage/index.js';
export { packageFolder } from './package-folder.js';
export * from './session/index.js';
export type { Claim, ClaimKind, ClaimStatus } from './outline/index.js';
export type { PressureEvent } from './pressure/index.js';
export type {
  Basis,
  Binding,
  Budget,
  Calibration,
  Catalogue,
  HeardLimits,
  Limits,
  LimitSource,
  ModelLimits,
  PriceOf,
  Reading,
  Usage,
} from './tokens/index.js';
export type { BreakerState } from './summarizers/index.js';
export {
  formats,
  openaiChat,
  readSession,
  type Progress,
  type ReadOptions,
  type ReadSession,
} from './formats/index.js';
export { defineStage, SummarizerError } from './spi/index.js';
export type {
  CompactionStage,
  Proposal,
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
  Edit,
  Message,
  ModelCall,
  Part,
  Plan,
  ViewMessage,
} from './transcript/index.js';
