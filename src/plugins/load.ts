import type { Plugin } from '../spi/index.js';
import { LATE, within } from './deadline.js';
import { pluginError, wordsOf } from './faults.js';
import { findPlugin, type FoundPlugin, type NamedPlugin } from './find.js';
import { PLUGIN_NAME } from './manifest.js';
import { shapedPlugin, type LoadedPlugin } from './shape.js';

interface PluginsRequest {
  /** Of the settings, in their order. */
  readonly named: readonly NamedPlugin[];
  /** Handed in from code; behind those of the settings. */
  readonly given: readonly Plugin[];
  /** Milliseconds that each may take to load. */
  readonly deadlineMs: number;
  /** Loads a user's module by its file. */
  readonly importModule: (file: string) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Loads what is named and nothing else. Rejects with `PLUGIN_UNKNOWN`, `PLUGIN_INVALID`, `PLUGIN_LATE` or
 * `PLUGIN_DUPLICATE`, each with the plugin's name.
 */
export async function loadPlugins({
  named,
  given,
  deadlineMs,
  importModule,
}: PluginsRequest): Promise<readonly LoadedPlugin[]> {
  const found = named.map(findPlugin);
  const names = new Set<string>();
  for (const { name } of [...found, ...given.map(namedInCode)]) {
    if (names.has(name))
      throw pluginError('PLUGIN_DUPLICATE', {
        plugin: name,
        found: 'two plugins of that name',
        remedy: 'Name each plugin once; "spillway": {"name": …} gives one another name.',
      });
    names.add(name);
  }
  const ofPackages = await Promise.all(found.map((one) => loaded(one, deadlineMs, importModule)));
  return [...ofPackages, ...given.map((plugin) => shapedPlugin(plugin, plugin.name!))];
}

function namedInCode(plugin: Plugin): { readonly name: string } {
  const { name } = plugin;
  if (typeof name === 'string' && PLUGIN_NAME.test(name)) return { name };
  throw pluginError('PLUGIN_INVALID', {
    plugin: 'of createSpillway',
    found: name ?? 'no name',
    allowed: 'a name of small letters, digits and -',
    remedy: 'Give a plugin that is handed in from code a name.',
  });
}

async function loaded(
  { name, manifest, file }: FoundPlugin,
  deadlineMs: number,
  importModule: PluginsRequest['importModule'],
): Promise<LoadedPlugin> {
  const step = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    let done: T | typeof LATE;
    try {
      done = await within(deadlineMs, work);
    } catch (cause) {
      throw pluginError('PLUGIN_INVALID', {
        plugin: name,
        found: `${what} failed: ${wordsOf(cause)}`,
        remedy: `Mend ${file}; node ${file} shows it too.`,
        cause,
      });
    }
    if (done === LATE) throw lateError(name, what, deadlineMs);
    return done;
  };
  const exports = await step('its module', () => importModule(file));
  const exported = exports['plugin'] ?? exports['default'];
  if (exported === undefined)
    throw pluginError('PLUGIN_INVALID', {
      plugin: name,
      found: `no export plugin in ${file}`,
      allowed: Object.keys(exports).join(', ') || 'a module with exports',
      remedy: 'export const plugin = definePlugin({ … }).',
    });
  const isMade = typeof exported === 'function';
  const made = isMade ? await step('its function plugin()', exported as () => unknown) : exported;
  return shapedPlugin(made, name, manifest);
}

/** A plugin that was waited for at load; `what` has not settled. */
export function lateError(plugin: string, what: string, deadlineMs: number): Error {
  return pluginError('PLUGIN_LATE', {
    plugin,
    found: `${what} has not settled in ${deadlineMs} ms`,
    allowed: `${deadlineMs} ms (pluginLimits.loadMs)`,
    remedy: 'Do what takes long in a hook, or after open(); or allow more time.',
  });
}
