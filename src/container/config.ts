import { join } from 'node:path';
import { ContainerModule } from 'inversify';
import type { ZodType } from 'zod/v4';
import {
  COUNTERS,
  loadConfig,
  SUMMARIZERS,
  type EffectiveConfig,
  type NamedPlugins,
  type PluginShapes,
} from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { packageFolder } from '../package-folder.js';
import { indexStages } from '../pipeline/index.js';
import { loadPlugins, type LoadedPlugin } from '../session/plugins/index.js';
import type { CompactionStage, Plugin } from '../spi/index.js';
import { BUILT_IN_STAGES } from '../stages/index.js';
import { importModule } from '../user-module.js';
import { formats } from '../formats/index.js';
import { OWN, SERVICES, type Opening } from './services.js';

/** Binds the settings, and the plugins and stages that they load. */
export const configWing = new ContainerModule(({ bind }) => {
  bind(SERVICES.Config).toResolvedValue(configFrom, [OWN.Opening, OWN.Stages, OWN.Plugins]);
  // Made after the settings, because the settings load the plugins.
  bind(OWN.Known).toResolvedValue(
    (stages: readonly CompactionStage[], { loaded }: EnginePlugins) => [
      ...indexStages([...stages, ...loaded.flatMap(({ stages: brought = [] }) => brought)]).values(),
    ],
    [OWN.Stages, OWN.Plugins],
  );
});

async function configFrom(
  { profile, configFile, env = {}, settings }: Opening,
  stages: readonly CompactionStage[],
  plugins: EnginePlugins,
): Promise<EffectiveConfig> {
  const config = await loadConfig({
    profile,
    file: configFile,
    env,
    overrides: settings,
    stageOptions: optionsOf([...indexStages(stages).values()]),
    absent: BUILT_IN_STAGES.filter((stage) => !stages.includes(stage)).map(({ name }) => name),
    configDir: join(packageFolder(), 'config'),
    plugins: plugins.shapes,
  });
  refuseIdle(stages, config);
  return config;
}

/**
 * Refuses a custom stage that is in no roster and runs as no pass, because it would never run. A roster that the user
 * wrote is accepted: it switches off the stages that it leaves out.
 */
function refuseIdle(stages: readonly CompactionStage[], config: EffectiveConfig): void {
  const all = [config, ...Object.values(config.agents)];
  if (all.some(({ origin }) => !/^(?:default|profile)/.test(origin('roster')))) return;
  const rosters = all.flatMap(({ settings }) => settings.roster);
  const named = new Set(rosters.map((entry) => (typeof entry === 'string' ? entry : entry.stage)));
  const builtIn = new Set(BUILT_IN_STAGES.map(({ name }) => name));
  const idle = stages.filter(({ name, asPass }) => !asPass && !named.has(name) && !builtIn.has(name));
  const faults = idle.map(({ name }) => ({
    subject: `stage "${name}"`,
    found: 'in no roster',
    allowed: `{stage: ${name}, opensAt: …} among ${[...named].join(', ')}`,
    remedy: 'Name the stage in settings.roster with the gate that it opens at, or leave it out.',
  }));
  if (faults[0]) throw new SpillwayError('CONFIG_INVALID', { ...faults[0], faults });
}

const optionsOf = (stages: readonly CompactionStage[]): Record<string, ZodType> =>
  Object.fromEntries(stages.map(({ name, options }) => [name, options]));

/** The plugins of an engine. They are loaded while its settings are read, because they decide which settings exist. */
export class EnginePlugins {
  #loaded: readonly LoadedPlugin[] = [];

  /** `given`: plugins that are bound or passed in code; `before`: plugins of the engine that this one replaces. */
  constructor(
    private readonly given: readonly Plugin[],
    private readonly before: readonly LoadedPlugin[] = [],
  ) {}

  get loaded(): readonly LoadedPlugin[] {
    return this.#loaded;
  }

  /** Loads the named plugins. Rejects like `loadPlugins`. */
  readonly shapes = async ({ plugins, loadMs }: NamedPlugins): Promise<PluginShapes> => {
    const { given, before } = this;
    this.#loaded = await loadPlugins({ named: plugins, given, before, deadlineMs: loadMs, importModule });
    const all = this.#loaded;
    for (const kind of KINDS) checkNames(all, kind);
    const knobs = all.flatMap(({ name, knobs }): [string, ZodType][] => (knobs ? [[name, knobs]] : []));
    return {
      stageOptions: optionsOf(all.flatMap(({ stages = [] }) => stages)),
      knobs: Object.fromEntries(knobs),
      compactors: all.flatMap(({ name, compactor }) => (compactor ? [name] : [])),
      summarizers: all.flatMap(({ summarizers = [] }) => summarizers.map(({ name }) => name)),
      counters: all.flatMap(({ counters = [] }) => counters.map(({ name }) => name)),
    };
  };
}

/** Names that are always taken. Names of stages are checked with all others of the roster. */
const KINDS = [
  { kind: 'summarizers', taken: SUMMARIZERS },
  { kind: 'counters', taken: COUNTERS },
  { kind: 'formats', taken: [...formats.keys()] },
] as const;

/** Refuses two parts with the same name, because the name would be ambiguous. */
function checkNames(plugins: readonly LoadedPlugin[], { kind, taken }: (typeof KINDS)[number]): void {
  const owners = new Map<string, string>(taken.map((name) => [name, 'Spillway']));
  for (const plugin of plugins)
    for (const { name } of plugin[kind] ?? []) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new SpillwayError('PLUGIN_DUPLICATE', {
          subject: `plugin ${plugin.name}`,
          found: `${name} among its ${kind}, which ${owner} has`,
          remedy: 'Give it another name.',
          facts: { plugin: plugin.name },
        });
      owners.set(name, plugin.name);
    }
}
