import type { ZodType } from 'zod/v4';
import type { Environment } from './env.js';
import { PluginLimits } from './plugin-fields.js';
import { valueAt } from './path.js';

/** What the settings say of plugins, read before all else: what they bring decides what the rest may say. */
export interface NamedPlugins {
  /** As they are named, with the folder that they are looked for from. */
  readonly plugins: readonly { readonly named: string; readonly from: string }[];
  readonly loadMs: number;
}

/** What plugins add to a configuration. */
export interface PluginShapes {
  /** Options of their stages, by the stage's name. */
  readonly stageOptions: Readonly<Record<string, ZodType>>;
  /** Their knobs, by the plugin's name. */
  readonly knobs: Readonly<Record<string, ZodType>>;
  readonly compactors: readonly string[];
  /** Names that `summarizer` and `counter` may have beside their own. */
  readonly summarizers: readonly string[];
  readonly counters: readonly string[];
}

/** What there is without plugins. */
export const NO_PLUGINS: PluginShapes = {
  stageOptions: {},
  knobs: {},
  compactors: [],
  summarizers: [],
  counters: [],
};

/** A source as it was written, with the folder of its file. */
interface WrittenSource {
  readonly tree: unknown;
  readonly folder: string;
}

/** The strongest source that names plugins decides, as with any list. What is no list is told with the other faults. */
export function namedPlugins(weakestFirst: readonly WrittenSource[], env: Environment): NamedPlugins {
  const sources = weakestFirst.toReversed();
  const lists = sources.map(({ tree, folder }) => ({ list: valueAt(tree, ['plugins']), folder }));
  const chosen = lists.find(({ list }) => Array.isArray(list));
  const names = (chosen?.list ?? []) as readonly unknown[];
  const limits = sources.map(({ tree }) => valueAt(tree, ['pluginLimits', 'loadMs']));
  const loadMs = [...limits, numberIn(env['SPILLWAY_PLUGIN_LIMITS_LOAD_MS'])].find(
    (ms) => PluginLimits.safeParse({ loadMs: ms }).success && ms !== undefined,
  );
  return {
    plugins: names
      .filter((named): named is string => typeof named === 'string' && named !== '')
      .map((named) => ({ named, from: chosen!.folder })),
    loadMs: (loadMs as number | undefined) ?? PluginLimits.parse({}).loadMs,
  };
}

/** The variable that names plugins, as a source: a list in JSON. */
export function pluginsInEnv(env: Environment): WrittenSource[] {
  try {
    const plugins: unknown = JSON.parse(env['SPILLWAY_PLUGINS'] ?? 'null');
    return [{ tree: { ...(plugins !== null && { plugins }) }, folder: '.' }];
  } catch {
    return [];
  }
}

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined || text === '' ? undefined : Number(text);
