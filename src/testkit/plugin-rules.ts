import { resolve } from 'node:path';
import { findPlugin, loadPlugins, shapedPlugin, type LoadedPlugin } from '../session/plugins/index.js';
import { importModule } from '../user-module.js';
import { RuleBroken, type ContractRule } from './rule.js';
import { playSession } from './sessions.js';

/** A plugin to be judged: a package in a folder, or the export of a module. */
export interface PluginSubject {
  /** The folder of its package.json. */
  readonly folder?: string;
  /** If it is no package: an object, or a function that makes one for each engine. */
  readonly plugin?: unknown;
  /** The name of a plugin that is no package. */
  readonly name?: string;
  /** Knobs to try in place of the defaults, as an operator writes them: a folder to write to, a switch turned on. */
  readonly knobs?: readonly unknown[];
  /** Milliseconds that it may take to load and to open (10,000), and that each hook may take (5,000). */
  readonly limits?: { readonly loadMs?: number; readonly hookMs?: number };
}

/** Loads a plugin as an engine does at its start. Rejects as `loadPlugins` does. */
export async function loadPlugin({
  folder,
  plugin,
  name = 'plugin',
  limits,
}: PluginSubject): Promise<LoadedPlugin> {
  if (folder === undefined) {
    const made: unknown = typeof plugin === 'function' ? await (plugin as () => unknown)() : plugin;
    const own = (made as { readonly name?: unknown } | null)?.name;
    return shapedPlugin(made, typeof own === 'string' && own !== '' ? own : name);
  }
  const named = [{ named: resolve(folder), from: '.' }];
  const deadlineMs = limits?.loadMs ?? 10_000;
  const [loaded] = await loadPlugins({ named, given: [], deadlineMs, importModule });
  return loaded!;
}

/**
 * The rules for a plugin as a whole; its stages, formats and summarizers have contracts of their own. A session
 * survives any fault of a plugin: these rules only show in advance what the fault would cost.
 */
export const PLUGIN_RULES: readonly ContractRule<PluginSubject>[] = [
  {
    id: 'PLUGIN-01',
    intent: 'has a manifest that can be read before its code runs: its name, its roles, and what it adds',
    check: ({ folder }) => {
      if (folder === undefined) return { notExercised: 'it was not given as a package' };
      findPlugin({ named: resolve(folder), from: '.' });
    },
  },
  {
    id: 'PLUGIN-02',
    intent: 'exports what its manifest says, within its time, as an object or as a function that makes one',
    check: async (subject) => void (await loadPlugin(subject)),
  },
  {
    id: 'PLUGIN-03',
    intent: 'throws in no hook, settles before the deadline, and returns an answer that the hook accepts',
    check: async (subject) => {
      const { hooks, faults } = await playedOnce(subject);
      const [first, ...more] = faults;
      if (first !== undefined) throw new RuleBroken(`${more.length + 1} times, first: ${first}`);
      return hooks > 0 ? undefined : { notExercised: 'none of its hooks was called' };
    },
  },
  {
    id: 'PLUGIN-04',
    intent:
      'lets sessions survive many compactions: the log is whole, requests are legal, and no compaction makes a request grow',
    check: async (subject) => {
      const { broken } = await playedOnce(subject);
      if (broken) throw broken;
    },
  },
];

interface PlayResult {
  hooks: number;
  readonly faults: string[];
  broken?: Error;
}

const HISTORIES = [1, 2, 3, 4, 5, 6, 7, 8];
const plays = new WeakMap<PluginSubject, Promise<PlayResult>>();

/** Both rules use the same sessions. */
function playedOnce(subject: PluginSubject): Promise<PlayResult> {
  const known = plays.get(subject) ?? play(subject);
  plays.set(subject, known);
  return known;
}

async function play(subject: PluginSubject): Promise<PlayResult> {
  const seen: PlayResult = { hooks: 0, faults: [] };
  const hookMs = subject.limits?.hookMs ?? 5_000;
  for (const knobs of subject.knobs ?? [{}])
    for (const history of HISTORIES) {
      const plugin = { ...(await loadPlugin(subject)) };
      const settings = {
        ...(plugin.knobs && { knobs: { [plugin.name]: knobs } }),
        ...(plugin.compactor && { compaction: { strategy: 'delegate' as const } }),
        pluginLimits: { preCompactMs: hookMs, postCompactMs: hookMs, compactMs: hookMs },
      };
      try {
        await playSession({
          seed: 40_000 + history,
          length: 40,
          times: 4,
          options: { plugins: [plugin], settings: { counter: 'heuristic', ...settings } },
          onEvent: (event, where) => {
            if (event.kind !== 'plugin-hook') return;
            seen.hooks++;
            const { hook, outcome, message = outcome } = event;
            if (outcome !== 'done') seen.faults.push(`${where}: ${hook}: ${message}`);
          },
        });
      } catch (error) {
        seen.broken ??= error instanceof Error ? error : new Error(String(error));
      }
      // Each further hook would take as long.
      if (seen.faults.length > 0) return seen;
    }
  return seen;
}
