import type { Json, PluginApi, PluginLog, PluginValues, SessionStore } from '../spi/index.js';
import { LATE, within } from './deadline.js';
import { pluginError, wordsOf } from './faults.js';
import { lateError } from './load.js';
import type { LoadedPlugin } from './shape.js';

/** How loud a line is that a plugin says. */
export type PluginLevel = keyof PluginLog;

/** Who hears what plugins say. */
export type HearPlugin = (plugin: string, level: PluginLevel, message: string) => void;

interface ApiParts {
  readonly hear: HearPlugin;
  /** Where their values are kept; memory where absent. */
  readonly store?: Pick<SessionStore, 'value' | 'setValue' | 'values'> | undefined;
  readonly knobs: Readonly<Record<string, unknown>>;
}

/** What is handed to one plugin; the same for all its hooks but for the knobs. */
export function apiFor({ name }: LoadedPlugin, { hear, store, knobs }: ApiParts): PluginApi {
  return Object.freeze({
    name,
    log: logOf(name, hear),
    values: valuesOf(name, store),
    knobs: knobs[name],
  });
}

function logOf(name: string, hear: HearPlugin): PluginLog {
  const says =
    (level: PluginLevel) =>
    (message: string): void =>
      hear(name, level, String(message));
  return Object.freeze({
    debug: says('debug'),
    info: says('info'),
    warn: says('warn'),
    error: says('error'),
  });
}

/** Everything is copied on its way in and out: nobody changes what is kept. */
function valuesOf(name: string, store: ApiParts['store']): PluginValues {
  const scope = `plugin:${name}`;
  const memory = new Map<string, Json>();
  return Object.freeze({
    async get(key: string) {
      return store ? store.value(scope, key) : copy(memory.get(key));
    },
    async set(key: string, value: unknown) {
      const json = copy(value) as Json | undefined;
      if (store) await store.setValue(scope, key, json);
      else if (json === undefined) memory.delete(key);
      else memory.set(key, json);
    },
    async all() {
      return store ? store.values(scope) : (copy(Object.fromEntries(memory)) as Record<string, unknown>);
    },
  });
}

const copy = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

/** Opens each plugin once, one after the other. Rejects with `PLUGIN_FAILED` or `PLUGIN_LATE`; those before it are closed. */
export async function openPlugins(
  plugins: readonly LoadedPlugin[],
  apiOf: (plugin: LoadedPlugin) => PluginApi,
  deadlineMs: number,
): Promise<void> {
  const open: LoadedPlugin[] = [];
  for (const plugin of plugins) {
    const { name } = plugin;
    open.push(plugin);
    try {
      const done = await within(deadlineMs, () => plugin.open?.(apiOf(plugin)));
      if (done === LATE) throw lateError(name, 'open()', deadlineMs);
    } catch (cause) {
      await closePlugins(open, deadlineMs);
      if ((cause as { readonly code?: unknown } | undefined)?.code === 'PLUGIN_LATE') throw cause;
      throw pluginError('PLUGIN_FAILED', {
        plugin: name,
        found: `open() threw: ${wordsOf(cause)}`,
        remedy: 'Mend what it says, or take it out of plugins.',
        cause,
      });
    }
  }
}

/** Closes all of them, whatever any of them throws; none is waited for longer than the deadline. */
export async function closePlugins(plugins: readonly LoadedPlugin[], deadlineMs: number): Promise<void> {
  await Promise.all(plugins.map(({ close }) => within(deadlineMs, () => close?.()).catch(() => undefined)));
}
