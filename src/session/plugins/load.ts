import { FUNCTION, fieldFaults, having, listOf, OBJECT, TEXT, type Kind } from '../../errors/index.js';
import type { Plugin } from '../../spi/index.js';

import { firstLineOf, inTime, LATE, lateError, pluginError } from './guarded.js';
import { findPlugin, PLUGIN_NAME, type FoundPlugin, type Manifest, type NamedPlugin } from './package.js';

/** A plugin whose shape was checked; its name is that in the settings. */
export interface LoadedPlugin extends Plugin {
  readonly name: string;
  /** The file that the plugin was loaded from, or the object that was passed in code. */
  readonly from?: unknown;
}

interface PluginsRequest {
  /** Plugins from the settings, in their order. */
  readonly named: readonly NamedPlugin[];
  /** Plugins passed in code; they follow those of the settings. */
  readonly given: readonly Plugin[];
  /** Plugins loaded earlier, which are used again if they are named or given again. */
  readonly before?: readonly LoadedPlugin[];
  /** Milliseconds that each plugin may take to load. */
  readonly deadlineMs: number;
  /** Loads a user's module by its file. */
  readonly importModule: (file: string) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Loads exactly the named plugins. Rejects with `PLUGIN_UNKNOWN`, `PLUGIN_INVALID`, `PLUGIN_LATE` or
 * `PLUGIN_DUPLICATE`, each with the plugin's name.
 */
export async function loadPlugins(request: PluginsRequest): Promise<readonly LoadedPlugin[]> {
  const { named, given, before = [] } = request;
  const found = named.map(findPlugin);
  const names = [...found, ...given].map(({ name }) => name);
  for (const [place, name] of names.entries()) {
    if (typeof name !== 'string' || !PLUGIN_NAME.test(name))
      throw pluginError('PLUGIN_INVALID', {
        plugin: 'of createSpillway',
        found: name ?? 'no name',
        allowed: 'a name of small letters, digits and -',
        remedy: 'Give the plugin a name, because it comes from code.',
      });
    if (names.indexOf(name) < place)
      throw pluginError('PLUGIN_DUPLICATE', {
        plugin: name,
        found: 'two plugins of that name',
        remedy: 'Name each plugin once; "spillway": {"name": …} gives one another name.',
      });
  }
  const known = (name: string, from: unknown): LoadedPlugin | undefined =>
    before.find((one) => one.name === name && one.from === from);
  const ofPackages = await Promise.all(
    found.map(
      async (one) => known(one.name, one.file) ?? { ...(await loadModule(one, request)), from: one.file },
    ),
  );
  const ofCode = given.map((one) => known(one.name!, one) ?? { ...shapedPlugin(one, one.name!), from: one });
  return [...ofPackages, ...ofCode];
}

async function loadModule(
  { name, manifest, file }: FoundPlugin,
  { deadlineMs, importModule }: PluginsRequest,
): Promise<LoadedPlugin> {
  const step = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    const done = await inTime(deadlineMs, work).catch((cause: unknown) => {
      throw pluginError('PLUGIN_INVALID', {
        plugin: name,
        found: `${what} failed: ${firstLineOf(cause)}`,
        remedy: `Fix ${file}; node ${file} shows the error too.`,
        cause,
      });
    });
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

/** All fields of a plugin, and their kinds. */
const FIELDS = {
  name: TEXT,
  summary: TEXT,
  knobs: having({ safeParse: FUNCTION }),
  stages: listOf(having({ name: TEXT, options: OBJECT, plan: FUNCTION })),
  summarizers: listOf(having({ name: TEXT, endpoint: TEXT, summarize: FUNCTION })),
  counters: listOf(having({ name: TEXT, count: FUNCTION })),
  formats: listOf(having({ name: TEXT, messagesField: TEXT, parse: FUNCTION, serialise: FUNCTION })),
  observer: OBJECT,
  compactor: having({ compact: FUNCTION }),
  open: FUNCTION,
  close: FUNCTION,
} satisfies Record<keyof Plugin, Kind>;

const HOOKS = ['preCompact', 'postCompact'] as const;
const LISTS = ['stages', 'summarizers', 'counters', 'formats'] as const;
const ROLES = { observer: 'an observer', compactor: 'a compactor' } as const;

/** Throws `PLUGIN_INVALID` if a module's export is no plugin, or not the plugin that its manifest promises. */
export function shapedPlugin(given: unknown, name: string, manifest?: Manifest): LoadedPlugin {
  const invalid = (found: string, remedy: string, allowed?: string): Error =>
    pluginError('PLUGIN_INVALID', { plugin: name, found, remedy, allowed });
  if (!OBJECT.is(given))
    throw invalid('no object', 'Export what definePlugin gives, or a function that gives it.');
  const plugin = given as Plugin;
  // Read by name, because a plugin may be an instance of a class.
  const fields = Object.keys(FIELDS).map((key) => [key, plugin[key as keyof Plugin]] as const);
  const remedy = 'Mend what the module exports; definePlugin types it.';
  const [fault] = fieldFaults('it', Object.fromEntries(fields), FIELDS, remedy);
  if (fault)
    throw invalid(`${fault.subject}: ${String(fault.found ?? 'nothing')}`, fault.remedy, fault.allowed);
  const hooks = HOOKS.filter((hook) => plugin.observer?.[hook] !== undefined);
  for (const hook of hooks)
    if (!FUNCTION.is(plugin.observer![hook])) throw invalid(`observer.${hook} is no function`, remedy);
  if (plugin.observer && hooks.length === 0)
    throw invalid('an observer without preCompact and postCompact', 'Give it one of the two.');
  const [broken] = manifest ? brokenPromises(plugin, manifest) : [];
  if (broken !== undefined) throw invalid(broken, 'Mend the manifest or the module: they say the same.');
  const own = fields
    .filter(([, value]) => value !== undefined)
    // Methods of a class keep their `this`.
    .map(([key, value]) => [key, typeof value === 'function' ? value.bind(plugin) : value] as const);
  const none = { stages: [], summarizers: [], counters: [], formats: [] };
  return Object.freeze({ ...none, ...(Object.fromEntries(own) as Plugin), name });
}

/** Manifest and module must agree: operators read the manifest and run the module. */
function* brokenPromises(plugin: Plugin, manifest: Manifest): Iterable<string> {
  for (const role of ['observer', 'compactor'] as const) {
    const isPromised = [manifest.role].flat().includes(role);
    const isThere = plugin[role] !== undefined;
    if (isPromised && !isThere) yield `no ${role}, which its manifest names as a role`;
    if (isThere && !isPromised) yield `${ROLES[role]}, which its manifest does not name as a role`;
  }
  for (const list of LISTS) {
    const there = (plugin[list] ?? []).map((one) => one.name);
    const missing = manifest[list].filter((one) => !there.includes(one));
    const extra = there.filter((one) => !manifest[list].includes(one));
    if (missing.length > 0) yield `no ${missing.join(', ')} among its ${list}, which its manifest names`;
    if (extra.length > 0) yield `${extra.join(', ')} among its ${list}, which its manifest does not name`;
  }
  if (manifest.knobs && !plugin.knobs) yield 'no knobs, which its manifest names';
  if (plugin.knobs && !manifest.knobs) yield 'knobs, which its manifest does not name';
}
