import type { ZodType } from 'zod/v4';
import { COUNTERS, SUMMARIZERS, type NamedPlugins, type PluginShapes } from './config/index.js';
import { SpillwayError } from './errors/index.js';
import { importModule } from './user-module.js';
import { loadPlugins, type LoadedPlugin } from './plugins/index.js';
import type { Plugin } from './spi/index.js';
import { formats } from './wire/index.js';

/** The plugins of an engine: loaded while its settings are read, for they decide what these may say. */
export class EnginePlugins {
  readonly #given: readonly Plugin[];
  #loaded: readonly LoadedPlugin[] = [];

  /** `given`: handed in from code. */
  constructor(given: readonly Plugin[] = []) {
    this.#given = given;
  }

  get loaded(): readonly LoadedPlugin[] {
    return this.#loaded;
  }

  /** Rejects as `loadPlugins` does. */
  readonly shapes = async ({ plugins, loadMs }: NamedPlugins): Promise<PluginShapes> => {
    const [named, given] = [plugins, this.#given];
    this.#loaded = await loadPlugins({ named, given, deadlineMs: loadMs, importModule });
    const all = this.#loaded;
    for (const kind of KINDS) checkNames(all, kind);
    const knobs = all.flatMap(({ name, knobs }): [string, ZodType][] => (knobs ? [[name, knobs]] : []));
    const stages = all.flatMap(({ stages = [] }) => stages);
    return {
      stageOptions: Object.fromEntries(stages.map(({ name, options }) => [name, options])),
      knobs: Object.fromEntries(knobs),
      compactors: all.flatMap(({ name, compactor }) => (compactor ? [name] : [])),
      summarizers: all.flatMap(({ summarizers = [] }) => summarizers.map(({ name }) => name)),
      counters: all.flatMap(({ counters = [] }) => counters.map(({ name }) => name)),
    };
  };
}

/** Names that are taken whatever is loaded. Stages are told apart with all others of the roster. */
const KINDS = [
  { kind: 'summarizers', taken: SUMMARIZERS },
  { kind: 'counters', taken: COUNTERS },
  { kind: 'formats', taken: [...formats.keys()] },
] as const;

/** Which of two of one name is meant, nobody could say. */
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
