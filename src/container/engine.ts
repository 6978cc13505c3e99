import { ContainerModule, type ResolutionContext } from 'inversify';
import { COUNTERS, rankOf, showPath, type AgentConfig, type EffectiveConfig } from '../config/index.js';
import { buildPolicy, planRun, type Policy } from '../pipeline/index.js';
import { Spillway, type Effects } from '../session/index.js';
import { PluginHost } from '../session/plugins/index.js';
import type { CompactionStage, SessionStore } from '../spi/index.js';
import { openStore, steadyClock, withDeadline } from '../stores/index.js';
import { countOf } from '../tokens/index.js';
import { formatNamed, openaiChat } from '../formats/index.js';
import type { EnginePlugins } from './config.js';
import { OWN, optional, SERVICES, type Kept, type Opening } from './services.js';
import type { LazyPrices } from './tokens.js';

/** Binds the store of sessions. */
export const storesWing = new ContainerModule(({ bind }) => {
  bind(OWN.Kept)
    .toResolvedValue(keptBy, [SERVICES.Config, OWN.Opening, optional(SERVICES.Store)])
    .onDeactivation(({ store, isOurs }) => (isOurs ? store?.close() : undefined));
});

async function keptBy({ settings }: EffectiveConfig, opening: Opening, given?: SessionStore): Promise<Kept> {
  const wanted = opening.store !== undefined ? opening.store : (given ?? settings.store);
  const isOurs = typeof wanted === 'string';
  const store = isOurs ? await openStore(wanted) : (wanted ?? undefined);
  return { store: store && withDeadline(store, settings.storeMs), isOurs };
}

/** Binds the pipeline and its policies: the stages in the order of the roster, with their gates. */
export const pipelineWing = new ContainerModule(({ bind }) => {
  bind(SERVICES.Pipeline).toConstantValue({ plan: planRun });
  bind(OWN.PolicyOf).toResolvedValue(
    (stages: readonly CompactionStage[]) =>
      (own: AgentConfig): Policy =>
        buildPolicy(own.settings, stages, stageOptions(own)),
    [OWN.Known],
  );
  bind(SERVICES.Policy).toResolvedValue(
    (policyOf: (own: AgentConfig) => Policy, config: EffectiveConfig) => policyOf(config),
    [OWN.PolicyOf, SERVICES.Config],
  );
});

/** Applies `thresholds.retainCount` to every stage with this option, unless a higher layer set the stage's option. */
function stageOptions({ stages, settings, origin }: AgentConfig): Readonly<Record<string, unknown>> {
  const { retainCount } = settings.thresholds;
  const shared = rankOf(origin('thresholds.retainCount'));
  const counted = Object.entries(stages).map(([name, options]) => {
    const takesIt = typeof options === 'object' && options !== null && 'retainCount' in options;
    const isOwn = rankOf(origin(showPath(['stages', name, 'retainCount']))) > shared;
    return [name, takesIt && !isOwn ? { ...options, retainCount } : options] as const;
  });
  return Object.fromEntries(counted);
}

/** Binds the engine, and the services that its sessions share. */
export const sessionWing = new ContainerModule(({ bind }) => {
  const system: Effects = { clock: () => Date.now(), timer: () => performance.now() };
  bind(SERVICES.Effects).toConstantValue(system);
  bind(OWN.PluginHost).toResolvedValue(
    ({ settings: { pluginLimits }, knobs }: EffectiveConfig, { loaded }: EnginePlugins, { store }: Kept) =>
      new PluginHost({ plugins: loaded, store, knobs, loadMs: pluginLimits.loadMs }),
    [SERVICES.Config, OWN.Plugins, OWN.Kept],
  );
  bind(SERVICES.WireFormat).toResolvedValue(
    ({ format }: Opening, { formats }: PluginHost) => formatNamed(format ?? openaiChat, formats),
    [OWN.Opening, OWN.PluginHost],
  );
  bind(SERVICES.Spillway).toDynamicValue(openEngine);
});

/** Opens the engine when all its parts exist. */
async function openEngine({ get }: ResolutionContext): Promise<Spillway> {
  const config = get(SERVICES.Config);
  const { onStoreFailure, opensPlugins = true, lasting } = get(OWN.Opening);
  const plugins = get(OWN.PluginHost);
  const counter = get(SERVICES.TokenCounter);
  const effects = get(SERVICES.Effects);
  const fillers = get(OWN.Fillers);
  const { store } = get(OWN.Kept);
  const summarizer = get(SERVICES.Summarizer, { optional: true });
  // Tries out a custom counter. Built-in counters are known to work, and load their tables on first use.
  if (!COUNTERS.some((name) => name === counter.name)) countOf(counter, 'Two words.');
  // A store may hold sessions of any model, not only of those named now.
  if (store || namesModel(config) || fillers.size > 0)
    await Promise.all([get(SERVICES.Catalogue).load?.(), (get(SERVICES.PriceOf) as LazyPrices).load?.()]);
  const spillway = new Spillway({
    config,
    plugins,
    policy: get(SERVICES.Policy),
    policyOf: get(OWN.PolicyOf),
    stages: get(OWN.Known),
    format: get(SERVICES.WireFormat),
    effects: { ...effects, clock: steadyClock(effects.clock) },
    openFillerOf: (own) => fillers.get(own),
    fillerFor: get(OWN.FillerFor),
    store,
    summarizerInCode: summarizer?.name,
    summaryLines: get(SERVICES.SummaryLines, { optional: true })?.lines,
    onStoreFailure,
    openScope: get(OWN.OpenScope),
    lasting,
  });
  if (opensPlugins) await plugins.open(lasting?.plugins);
  return spillway;
}

/** Whether the settings name a model for requests, so that its limits are loaded from the start. */
function namesModel({ settings }: EffectiveConfig): boolean {
  const agents = Object.values(settings.agents) as { readonly model?: unknown }[];
  return [settings, ...agents].some(({ model }) => typeof model === 'string');
}
