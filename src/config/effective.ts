import type { Origin } from './faults.js';
import { placesIn, type Place } from './json-schema.js';
import { isMapping, showPath, valueAt } from './path.js';
import type { Settings } from './schema.js';

/** Any of the fields, at any depth; lists are given whole. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T;

/** Settings from code, with options under `stages` and `knobs`; they override every other layer. */
export type Overrides = DeepPartial<Settings> & {
  stages?: Readonly<Record<string, unknown>>;
  /** Knobs of plugins, by plugin name. */
  knobs?: Readonly<Record<string, unknown>>;
};

/** One setting with its effective value; `path` with dots: `thresholds.snipThreshold`. */
export interface ConfigEntry {
  readonly path: string;
  /** Undefined if an optional setting is not set. */
  readonly value: unknown;
  readonly origin: Origin;
  readonly description: string;
}

/** The configuration of one agent. */
export type AgentConfig = Pick<EffectiveConfig, 'settings' | 'stages' | 'knobs' | 'origin' | 'tuned'>;

/** The configuration of an agent path: its own, else that of its nearest parent, else that for all agents. */
export function configOf(
  config: AgentConfig & Pick<EffectiveConfig, 'agents'>,
  agentPath: string,
): AgentConfig {
  const names = agentPath.split('/');
  for (let end = names.length; end > 0; end--) {
    const path = names.slice(0, end).join('/');
    if (Object.hasOwn(config.agents, path)) return config.agents[path]!;
  }
  return config;
}

/** The effective configuration, deep-frozen, with the origin of each value. */
export interface EffectiveConfig {
  readonly settings: Settings;
  /** Parsed options of each available stage, on the roster or not. */
  readonly stages: Readonly<Record<string, unknown>>;
  /** Parsed knobs of each loaded plugin. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** The origin of `thresholds.snipThreshold`, `roster[2]`, `models["gpt-4.1"].inputLimit`. */
  origin(path: string): Origin;
  /**
   * This configuration with other settings on top, for one run. Throws `CONFIG_INVALID` with every fault at once; a
   * setting for a whole session or process is a fault.
   */
  tuned(settings: Overrides): AgentConfig;
  /** The configuration of each agent path that the settings name, including its parents' settings. */
  readonly agents: Readonly<Record<string, AgentConfig>>;
  /** Every setting, in the order of the schema; stages and knobs come last. */
  readonly entries: readonly ConfigEntry[];
}

/** One entry for each setting of a schema; for a table, one for each setting in its entries. */
export function* entriesOf(
  places: Iterable<Place>,
  tree: unknown,
  origin: (path: string) => Origin,
  isEntry = false,
): Iterable<ConfigEntry> {
  for (const { path, json, description, isSection } of places) {
    if (isSection) continue;
    const value = valueAt(tree, path);
    const entry = json.additionalProperties;
    if (typeof entry === 'object' && isMapping(value) && Object.keys(value).length > 0) {
      for (const key of Object.keys(value))
        yield* entriesOf(placesIn(entry, [...path, key]), tree, origin, true);
    } else if (value !== undefined || !isEntry) {
      const shown = showPath(path);
      yield { path: shown, value, origin: value === undefined ? 'default' : origin(shown), description };
    }
  }
}

/** Freezes plain mappings and lists at every depth; instances of a plugin's own classes are not frozen. */
export function deepFreeze<T>(value: T): T {
  if ((Array.isArray(value) || isMapping(value)) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
