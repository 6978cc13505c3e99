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

/** Settings from code, with options under `stages` and `knobs`; they win over every other layer. */
export type Overrides = DeepPartial<Settings> & {
  stages?: Readonly<Record<string, unknown>>;
  /** Of plugins, by their names. */
  knobs?: Readonly<Record<string, unknown>>;
};

/** One setting as it is in force; `path` with dots: `thresholds.snipThreshold`. */
export interface ConfigEntry {
  readonly path: string;
  /** Undefined where an optional setting is not set. */
  readonly value: unknown;
  readonly origin: Origin;
  readonly description: string;
}

/** What is in force for one agent. */
export type AgentConfig = Pick<EffectiveConfig, 'settings' | 'stages' | 'knobs' | 'origin' | 'tuned'>;

/** The configuration of an agent path: its own, else that of its nearest parent, else that of all. */
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

/** The configuration in force, deep-frozen, and who decided what. */
export interface EffectiveConfig {
  readonly settings: Settings;
  /** Parsed options of each stage that is provided, on the roster or not. */
  readonly stages: Readonly<Record<string, unknown>>;
  /** Parsed knobs of each plugin that is loaded. */
  readonly knobs: Readonly<Record<string, unknown>>;
  /** Who set `thresholds.snipThreshold`, `roster[2]`, `models["gpt-4.1"].inputLimit`. */
  origin(path: string): Origin;
  /**
   * The same with other settings over it, for one run. Throws `CONFIG_INVALID` with every fault at once; what holds for a
   * whole session or process is one.
   */
  tuned(settings: Overrides): AgentConfig;
  /** What is in force for each agent path that the settings name, its parents' settings included. */
  readonly agents: Readonly<Record<string, AgentConfig>>;
  /** Every setting, in the order of the schema, stages and knobs last. */
  readonly entries: readonly ConfigEntry[];
}

/** One entry for each setting of a schema; a table has one for each setting its entries hold. */
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

/** Freezes plain mappings and lists all the way down; objects of a plugin's own classes stay as they are. */
export function deepFreeze<T>(value: T): T {
  if ((Array.isArray(value) || isMapping(value)) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
