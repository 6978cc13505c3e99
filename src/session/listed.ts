import { knobSchemas, type ConfigEntry, type EffectiveConfig, type KnobSchemas } from '../config/index.js';
import type { Policy } from '../pipeline/index.js';
import type { HookInFlight, PluginHost } from '../plugins/index.js';
import type { CompactionStage, PluginRole } from '../spi/index.js';

/** A provided stage as operators see it; `opensAt` is absent where the roster leaves it out. */
export interface ListedStage {
  readonly name: string;
  readonly opensAt?: number;
  readonly summary: string;
  readonly options: unknown;
}

/** A loaded plugin as operators see it. */
export interface ListedPlugin {
  readonly name: string;
  readonly summary?: string;
  readonly roles: readonly PluginRole[];
  /** Names of what it brings. */
  readonly stages: readonly string[];
  readonly summarizers: readonly string[];
  readonly counters: readonly string[];
  readonly formats: readonly string[];
  /** Values of its knobs, as they are in force for all. */
  readonly knobs: unknown;
  /** Hooks that were called and have not settled, given up or not. */
  readonly inFlight: readonly HookInFlight[];
}

/** The roster in order, then what is provided and switched off. */
export function listedStages(
  policy: Policy,
  stages: readonly CompactionStage[],
  config: EffectiveConfig,
): readonly ListedStage[] {
  const open = policy.stages.map(({ stage, opensAt, plugin, options }) => ({
    name: stage,
    opensAt,
    summary: plugin.summary,
    options,
  }));
  const named = new Set(open.map(({ name }) => name));
  const off = stages.filter(({ name }) => !named.has(name));
  return [...open, ...off.map(({ name, summary }) => ({ name, summary, options: config.stages[name] }))];
}

/** The plugins of an engine in the order they were named. */
export function listedPlugins(
  { plugins, inFlight }: PluginHost,
  config: EffectiveConfig,
): readonly ListedPlugin[] {
  const names = (list: readonly { readonly name: string }[] = []): string[] => list.map(({ name }) => name);
  return plugins.map(({ name, summary, observer, compactor, stages, summarizers, counters, formats }) => ({
    name,
    ...(summary !== undefined && { summary }),
    roles: [...(observer ? ['observer' as const] : []), ...(compactor ? ['compactor' as const] : [])],
    stages: names(stages),
    summarizers: names(summarizers),
    counters: names(counters),
    formats: names(formats),
    knobs: config.knobs[name],
    inFlight: inFlight.all.filter(({ plugin }) => plugin === name),
  }));
}

/** Everything that operators may turn, with its value and who set it. */
export interface ListedKnobs extends KnobSchemas {
  /** One for each setting, option and knob. */
  readonly values: readonly ConfigEntry[];
}

export function listedKnobs(
  stages: readonly CompactionStage[],
  { plugins }: PluginHost,
  { entries }: EffectiveConfig,
): ListedKnobs {
  const ofStages = stages.map(({ name, options }) => [name, options] as const);
  const ofPlugins = plugins.flatMap(({ name, knobs }) => (knobs ? [[name, knobs] as const] : []));
  const names = {
    counter: plugins.flatMap(({ counters = [] }) => counters.map(({ name }) => name)),
    summarizer: plugins.flatMap(({ summarizers = [] }) => summarizers.map(({ name }) => name)),
    'compaction.compactor': plugins.flatMap(({ name, compactor }) => (compactor ? [name] : [])),
  };
  return { ...knobSchemas(ofStages, ofPlugins, names), values: entries };
}
