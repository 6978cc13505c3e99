import type { ZodType } from 'zod/v4';
import type { NamedPlugins, PluginShapes } from './config/index.js';
import { importModule } from './user-module.js';
import { loadPlugins, type LoadedPlugin } from './plugins/index.js';
import type { Plugin } from './spi/index.js';

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
    const knobs = all.flatMap(({ name, knobs }): [string, ZodType][] => (knobs ? [[name, knobs]] : []));
    const stages = all.flatMap(({ stages = [] }) => stages);
    return {
      stageOptions: Object.fromEntries(stages.map(({ name, options }) => [name, options])),
      knobs: Object.fromEntries(knobs),
      hasCompactor: all.some(({ compactor }) => compactor !== undefined),
      summarizers: all.flatMap(({ summarizers = [] }) => summarizers.map(({ name }) => name)),
      counters: all.flatMap(({ counters = [] }) => counters.map(({ name }) => name)),
    };
  };
}
