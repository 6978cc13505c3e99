import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import { join } from 'node:path';
import type { ZodType } from 'zod';
import {
  asksForText,
  chooseSummarizer,
  loadConfig,
  type EffectiveConfig,
  type Overrides,
} from './config/index.js';
import { openaiChat } from './formats/index.js';
import { packageFolder } from './package-folder.js';
import { buildPolicy, indexStages, type Policy } from './pipeline/index.js';
import { Spillway, type Effects } from './session/index.js';
import type {
  CompactionStage,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from './spi/index.js';
import { BUILT_IN_STAGES } from './stages/index.js';
import type { OpenFiller } from './summarizers/index.js';
import {
  createCatalogue,
  createExactCounter,
  heuristicCounter,
  loadPrices,
  openCatalogue,
  type Catalogue,
  type LimitOverride,
  type PriceOf,
} from './tokens/index.js';

/** What can be bound from outside. `Stage` takes many; the others take one. */
export const SERVICES = {
  Stage: Symbol.for('spillway.Stage') as ServiceIdentifier<CompactionStage>,
  WireFormat: Symbol.for('spillway.WireFormat') as ServiceIdentifier<WireFormat>,
  TokenCounter: Symbol.for('spillway.TokenCounter') as ServiceIdentifier<TokenCounter>,
  Effects: Symbol.for('spillway.Effects') as ServiceIdentifier<Effects>,
  Config: Symbol.for('spillway.Config') as ServiceIdentifier<EffectiveConfig>,
  Catalogue: Symbol.for('spillway.Catalogue') as ServiceIdentifier<Catalogue>,
  Policy: Symbol.for('spillway.Policy') as ServiceIdentifier<Policy>,
  /** Writes better text for what a plan replaces; wins over the settings' model. */
  Summarizer: Symbol.for('spillway.Summarizer') as ServiceIdentifier<Summarizer>,
  /** Facts that every request of a summarizer is told beside the transcript. */
  SummaryLines: Symbol.for('spillway.SummaryLines') as ServiceIdentifier<{ readonly lines: SummaryLines }>,
  PriceOf: Symbol.for('spillway.PriceOf') as ServiceIdentifier<PriceOf>,
  OpenFiller: Symbol.for('spillway.OpenFiller') as ServiceIdentifier<OpenFiller>,
  /** Where sessions are kept that outlive the process; one of your own, or what `openStore` opens. */
  Store: Symbol.for('spillway.Store') as ServiceIdentifier<SessionStore>,
  Spillway: Symbol.for('spillway.Spillway') as ServiceIdentifier<Spillway>,
} as const;

/** Where settings come from, strongest last: defaults, profile, file, environment, code. */
export interface ConfigSources {
  readonly profile?: string;
  readonly configFile?: string;
  /** Variables named SPILLWAY_…; nothing is read from the environment unless it is handed in. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: Overrides;
}

/** A container with everything built in. Bind your own stages to `SERVICES.Stage`, then call `openSpillway`. */
export function createContainer(): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  for (const stage of BUILT_IN_STAGES) container.bind(SERVICES.Stage).toConstantValue(stage);
  container.bind(SERVICES.WireFormat).toConstantValue(openaiChat);
  container
    .bind(SERVICES.Effects)
    .toConstantValue({ clock: () => Date.now(), timer: () => performance.now() });
  container
    .bind(SERVICES.Policy)
    .toResolvedValue(
      (stages: CompactionStage[], config: EffectiveConfig) =>
        buildPolicy(config.settings, stages, stageOptions(config)),
      [{ isMultiple: true, serviceIdentifier: SERVICES.Stage }, SERVICES.Config],
    );
  container.bind(SERVICES.Spillway).toResolvedValue(
    (
      config: EffectiveConfig,
      policy: Policy,
      stages: CompactionStage[],
      catalogue: Catalogue,
      counter: TokenCounter,
      format: WireFormat,
      effects: Effects,
      priceOf: PriceOf,
      openFiller?: OpenFiller,
      store?: SessionStore,
      summarizer?: Summarizer,
      summaryLines?: { readonly lines: SummaryLines },
    ) =>
      new Spillway({
        config,
        policy,
        policyOf: (settings) => buildPolicy(settings, stages, stageOptions({ ...config, settings })),
        stages,
        catalogue,
        counter,
        format,
        effects,
        priceOf,
        openFiller,
        store,
        summarizerInCode: summarizer?.name,
        summaryLines: summaryLines?.lines,
      }),
    [
      SERVICES.Config,
      SERVICES.Policy,
      { isMultiple: true, serviceIdentifier: SERVICES.Stage },
      SERVICES.Catalogue,
      SERVICES.TokenCounter,
      SERVICES.WireFormat,
      SERVICES.Effects,
      SERVICES.PriceOf,
      { optional: true, serviceIdentifier: SERVICES.OpenFiller },
      { optional: true, serviceIdentifier: SERVICES.Store },
      { optional: true, serviceIdentifier: SERVICES.Summarizer },
      { optional: true, serviceIdentifier: SERVICES.SummaryLines },
    ],
  );
  return container;
}

/** Loads the configuration for the stages that are bound, picks a counter, and opens the engine. */
export async function openSpillway(container: Container, sources: ConfigSources = {}): Promise<Spillway> {
  const stages = indexStages(container.getAll(SERVICES.Stage));
  const schemas: Record<string, ZodType> = {};
  for (const [name, stage] of stages) schemas[name] = stage.options;
  const config = await loadConfig({
    profile: sources.profile,
    file: sources.configFile,
    env: sources.env ?? {},
    overrides: sources.settings,
    stageOptions: schemas,
    configDir: join(packageFolder(), 'config'),
  });
  container.bind(SERVICES.Config).toConstantValue(config);
  if (!container.isBound(SERVICES.Catalogue)) {
    container.bind(SERVICES.Catalogue).toConstantValue(await catalogueFor(config));
  }
  if (!container.isBound(SERVICES.TokenCounter)) {
    container
      .bind(SERVICES.TokenCounter)
      .toConstantValue(await counterFor(config, container.get(SERVICES.Catalogue)));
  }
  if (!container.isBound(SERVICES.PriceOf)) {
    // What is kept may be of any model, whichever is named now.
    const isKept = container.isBound(SERVICES.Store);
    const priced = isKept || config.settings.model !== null || asksSummarizer(container, config);
    container.bind(SERVICES.PriceOf).toConstantValue(priced ? await loadPrices() : () => null);
  }
  if (asksSummarizer(container, config)) await bindFillers(container, config, sources.env ?? {});
  return container.get(SERVICES.Spillway);
}

/** Whether any agent has its text written by somebody; one that was handed in is asked unless the settings say nobody is. */
function asksSummarizer(container: Container, { settings }: EffectiveConfig): boolean {
  const inCode = container.isBound(SERVICES.Summarizer) ? container.get(SERVICES.Summarizer).name : undefined;
  const asks = ({ compaction, summarizer }: AsksOf): boolean =>
    summarizer === 'model' || Boolean(compaction?.prompt ?? compaction?.agent);
  return asksForText(chooseSummarizer(settings, inCode)) || Object.values(settings.agents).some(asks);
}

/** As an agent of the settings may have it. */
interface AsksOf {
  readonly summarizer?: unknown;
  readonly compaction?: { readonly prompt?: unknown; readonly agent?: unknown };
}

/** Loaded only here: without a summarizer nobody waits for breakers and prompts. */
async function bindFillers(
  container: Container,
  { settings }: EffectiveConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { openFillers } = await import('./summarizers/index.js');
  const catalogue = container.get(SERVICES.Catalogue);
  const openFiller = await openFillers({
    settings,
    env,
    ...(container.isBound(SERVICES.Summarizer) && { summarizer: container.get(SERVICES.Summarizer) }),
    promptFolder: join(packageFolder(), 'config', 'prompts'),
    windowOf: (model) => catalogue.lookup(model).contextWindow,
    priceOf: container.get(SERVICES.PriceOf),
    ...(container.isBound(SERVICES.Store) && { store: container.get(SERVICES.Store) }),
  });
  container.bind(SERVICES.OpenFiller).toConstantValue(openFiller);
}

/** `thresholds.retainCount` is partial's, under the name operators of the staged pipeline know. */
function stageOptions(config: EffectiveConfig): Readonly<Record<string, unknown>> {
  const { partial } = config.stages;
  if (typeof partial !== 'object' || partial === null) return config.stages;
  return { ...config.stages, partial: { ...partial, retainCount: config.settings.thresholds.retainCount } };
}

/** The published sheets take 60 ms to load: only where a model was named and somebody needs its limits. */
async function catalogueFor({ settings }: EffectiveConfig): Promise<Catalogue> {
  const options = { overrides: overridesOf(settings.models) };
  const named = settings.model ?? settings.summarizerModel.model;
  return named === null ? createCatalogue(options) : openCatalogue(options);
}

function overridesOf(models: EffectiveConfig['settings']['models']): Record<string, LimitOverride> {
  const stated = Object.entries(models).map(([name, limits]) => [
    name,
    Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  ]);
  return Object.fromEntries(stated) as Record<string, LimitOverride>;
}

async function counterFor({ settings }: EffectiveConfig, catalogue: Catalogue): Promise<TokenCounter> {
  if (settings.counter === 'heuristic') return heuristicCounter;
  if (settings.counter !== 'auto') return createExactCounter(settings.counter);
  // Without a tokenizer of its own a model is counted by the nearest public one, and its ratio does the rest.
  const limits = settings.model === null ? undefined : catalogue.lookup(settings.model);
  return createExactCounter(limits?.exactTokenizer ?? 'o200k_base');
}
