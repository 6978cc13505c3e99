import { join } from 'node:path';
import type { ZodType } from 'zod/v4';
import {
  asksForText,
  type AgentConfig,
  chooseSummarizer,
  loadConfig,
  type EffectiveConfig,
  type Environment,
  type Overrides,
  type Settings,
} from './config/index.js';
import { EnginePlugins } from './engine-plugins.js';
import { formatNamed, openaiChat } from './wire/index.js';
import { packageFolder } from './package-folder.js';
import { buildPolicy, indexStages, type Policy } from './pipeline/index.js';
import { PluginHost, type LoadedPlugin } from './plugins/index.js';
import { Spillway, type Effects } from './session/index.js';
import type {
  CompactionStage,
  Plugin,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from './spi/index.js';
import { openStore } from './stores/index.js';
import type { OpenFiller } from './summarizers/index.js';
import {
  createLazyCatalogue,
  createExactCounter,
  heuristicCounter,
  loadPrices,
  type Catalogue,
  type LimitOverride,
  type PriceOf,
} from './tokens/index.js';

/** Where settings come from, strongest last: defaults, profile, file, environment, code. */
export interface ConfigSources {
  readonly profile?: string;
  readonly configFile?: string;
  /**
   * Variables named SPILLWAY_…, and those that hold keys (`apiKeyEnv`). The library reads nothing from the environment by
   * itself: hand in `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: Overrides;
}

/** Parts that a host may hand in. The settings decide about those that are absent. */
export interface EngineParts {
  /** All that the roster may name, the built-in ones too. */
  readonly stages: readonly CompactionStage[];
  readonly format?: string | WireFormat | undefined;
  readonly effects?: Effects | undefined;
  readonly catalogue?: Catalogue | undefined;
  readonly counter?: TokenCounter | undefined;
  readonly priceOf?: PriceOf | undefined;
  /** Null: none, whatever the settings name. */
  readonly store?: SessionStore | null | undefined;
  readonly summarizer?: Summarizer | undefined;
  readonly summaryLines?: SummaryLines | undefined;
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** Beside those that the settings name. */
  readonly plugins?: readonly Plugin[] | undefined;
  /** False: plugins are loaded and none is opened, for an engine that only says what it would be. */
  readonly opensPlugins?: boolean;
}

/** An opened engine with everything that was chosen for it. */
export interface Engine {
  readonly spillway: Spillway;
  /** All that the roster may name. */
  readonly stages: readonly CompactionStage[];
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  readonly priceOf: PriceOf;
  readonly openFiller: OpenFiller | undefined;
  /** Those that the settings name, and those that were handed in. */
  readonly plugins: readonly LoadedPlugin[];
}

/** Loads the configuration for the given stages, chooses the parts that are absent, and opens the engine. */
export async function openEngine(parts: EngineParts, sources: ConfigSources = {}): Promise<Engine> {
  const schemas: Record<string, ZodType> = {};
  for (const [name, stage] of indexStages(parts.stages)) schemas[name] = stage.options;
  const env = sources.env ?? {};
  const plugins = new EnginePlugins(parts.plugins);
  const config = await loadConfig({
    profile: sources.profile,
    file: sources.configFile,
    env,
    overrides: sources.settings,
    stageOptions: schemas,
    configDir: join(packageFolder(), 'config'),
    plugins: plugins.shapes,
  });
  const { loaded } = plugins;
  const ofPlugins = loaded.flatMap(({ stages = [] }) => stages);
  const stages = [...indexStages([...parts.stages, ...ofPlugins]).values()];
  const named = parts.store === undefined ? config.settings.store : null;
  const store = named === null ? (parts.store ?? undefined) : await openStore(named);
  try {
    return await assemble({ ...parts, stages, store, loaded }, config, env);
  } catch (error) {
    if (named !== null) await store?.close();
    throw error;
  }
}

type Assembly = EngineParts & {
  readonly store: SessionStore | undefined;
  readonly loaded: readonly LoadedPlugin[];
};

async function assemble(parts: Assembly, config: EffectiveConfig, env: Environment): Promise<Engine> {
  const { stages, store, summarizer, summaryLines } = parts;
  const { settings } = config;
  const asks = asksSummarizer(summarizer?.name, config);
  // A store may hold sessions of any model, whichever is named now.
  const prices = new Prices(parts.priceOf);
  const catalogue = parts.catalogue ?? catalogueFor(config, prices);
  if (store !== undefined || asks || namesModel(config))
    await Promise.all([catalogue.load?.(), prices.load()]);
  const { priceOf } = prices;
  const counter = parts.counter ?? (await counterFor(config, catalogue, parts.loaded));
  const fillers = await fillersOf([config, ...Object.values(config.agents)], summarizer?.name, (own) =>
    fillersFor(parts, own, env, catalogue, priceOf),
  );
  const openFiller = fillers.get(config);
  await promptsAtLoad(settings, fillers.size > 0);
  const policyOf = (own: AgentConfig): Policy => buildPolicy(own.settings, stages, stageOptions(own));
  const policy = policyOf(config);
  const { knobs } = config;
  const { loadMs } = settings.pluginLimits;
  const plugins = new PluginHost({ plugins: parts.loaded, store, knobs, loadMs });
  const spillway = new Spillway({
    config,
    plugins,
    policy,
    policyOf,
    stages,
    catalogue,
    counter,
    format: formatNamed(parts.format ?? openaiChat, plugins.formats),
    effects: parts.effects ?? SYSTEM_EFFECTS,
    priceOf,
    openFillerOf: (own) => fillers.get(own),
    store,
    summarizerInCode: summarizer?.name,
    summaryLines,
    onStoreFailure: parts.onStoreFailure,
  });
  if (parts.opensPlugins !== false) await plugins.open();
  return { spillway, stages, config, policy, catalogue, counter, priceOf, openFiller, plugins: parts.loaded };
}

export const SYSTEM_EFFECTS: Effects = { clock: () => Date.now(), timer: () => performance.now() };

/** Whether a summarizer writes text for any agent; one that was handed in does, unless the settings forbid it. */
function asksSummarizer(inCode: string | undefined, config: EffectiveConfig): boolean {
  return [config, ...Object.values(config.agents)].some(({ settings }) =>
    asksForText(chooseSummarizer(settings, inCode)),
  );
}

/** Who fills slots under each configuration that asks for text; what is wrong with any of them is said here. */
async function fillersOf(
  configs: readonly AgentConfig[],
  inCode: string | undefined,
  open: (settings: Settings) => Promise<OpenFiller>,
): Promise<ReadonlyMap<AgentConfig, OpenFiller>> {
  const fillers = new Map<AgentConfig, OpenFiller>();
  for (const config of configs)
    if (asksForText(chooseSummarizer(config.settings, inCode)))
      fillers.set(config, await open({ ...config.settings, agents: {} }));
  return fillers;
}

/** An operator's folder of prompts is whole at load, whoever summarises. */
async function promptsAtLoad({ fill }: Settings, areLoaded: boolean): Promise<void> {
  if (fill.prompts === null || areLoaded) return;
  const { promptsFor } = await import('./summarizers/index.js');
  await promptsFor({ ours: promptFolder(), theirs: fill.prompts, files: fill.promptFiles });
}

const promptFolder = (): string => join(packageFolder(), 'config', 'prompts');

/** Loads breakers and prompts only here: without a summarizer nobody waits for them. */
async function fillersFor(
  { summarizer, store, loaded }: Assembly,
  settings: Settings,
  env: Environment,
  catalogue: Catalogue,
  priceOf: PriceOf,
): Promise<OpenFiller> {
  const { openFillers } = await import('./summarizers/index.js');
  return openFillers({
    settings,
    env,
    ...(summarizer && { summarizer }),
    brought: loaded.flatMap(({ summarizers = [] }) => summarizers),
    promptFolder: promptFolder(),
    limitsOf: (model) => catalogue.lookup(model),
    priceOf,
    ...(store && { store }),
  });
}

/**
 * `thresholds.retainCount` is partial's, under the name operators of the staged pipeline know; who set it under its own
 * name alone means that.
 */
function stageOptions({ stages, settings, origin }: AgentConfig): Readonly<Record<string, unknown>> {
  const { partial } = stages;
  const isOwn =
    origin('stages.partial.retainCount') !== 'default' && origin('thresholds.retainCount') === 'default';
  if (typeof partial !== 'object' || partial === null || isOwn) return stages;
  return { ...stages, partial: { ...partial, retainCount: settings.thresholds.retainCount } };
}

/** Whether the settings name a model that will be talked to: its limits are known from the start then. */
function namesModel({ settings }: EffectiveConfig): boolean {
  const agents = Object.values(settings.agents) as { readonly model?: unknown }[];
  return [settings, ...agents].some(({ model }) => typeof model === 'string');
}

/** The published sheets take 60 ms to load: not before a model is talked to. */
function catalogueFor({ settings }: EffectiveConfig, prices: Prices): Catalogue {
  return createLazyCatalogue({ overrides: overridesOf(settings.models) }, () => prices.load());
}

/** Price sheets that are loaded when they are needed; until then no price is known. */
class Prices {
  #known: PriceOf | undefined;

  constructor(known: PriceOf | undefined) {
    this.#known = known;
  }

  readonly priceOf: PriceOf = (model, usage) => this.#known?.(model, usage) ?? null;

  async load(): Promise<void> {
    this.#known ??= await loadPrices();
  }
}

/** Limits that the settings state, as a catalogue takes them. */
export function overridesOf(models: EffectiveConfig['settings']['models']): Record<string, LimitOverride> {
  const stated = Object.entries(models).map(([name, limits]) => [
    name,
    Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  ]);
  return Object.fromEntries(stated) as Record<string, LimitOverride>;
}

async function counterFor(
  { settings }: EffectiveConfig,
  catalogue: Catalogue,
  plugins: readonly LoadedPlugin[],
): Promise<TokenCounter> {
  const { counter, model } = settings;
  const ofPlugins = plugins.flatMap(({ counters = [] }) => counters);
  const brought = ofPlugins.find(({ name }) => name === counter);
  if (brought) return brought;
  if (counter === 'heuristic') return heuristicCounter;
  if (counter === 'o200k_base' || counter === 'cl100k_base') return createExactCounter(counter);
  // Without a tokenizer of its own a model is counted by the nearest public one, and its ratio does the rest.
  const limits = model === null ? undefined : catalogue.lookup(model);
  return createExactCounter(limits?.exactTokenizer ?? 'o200k_base');
}
