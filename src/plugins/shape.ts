import type { ZodType } from 'zod/v4';
import { FUNCTION, fieldFaults, having, listOf, OBJECT, TEXT, type Kind } from '../errors/index.js';
import type { Plugin } from '../spi/index.js';
import { pluginError } from './faults.js';
import { rolesOf, type Manifest } from './manifest.js';

/** A plugin whose shape was looked at; its name is that of the settings. */
export interface LoadedPlugin extends Plugin {
  readonly name: string;
}

/** Every field there is, and its kind. */
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

const HOOKS: Readonly<Record<string, Kind>> = { preCompact: FUNCTION, postCompact: FUNCTION };

const LISTS = ['stages', 'summarizers', 'counters', 'formats'] as const;

/** Throws `PLUGIN_INVALID` where what a module gave is no plugin, or not the one that its manifest promises. */
export function shapedPlugin(given: unknown, name: string, manifest?: Manifest): LoadedPlugin {
  const invalid = (found: string, remedy: string) =>
    pluginError('PLUGIN_INVALID', { plugin: name, found, remedy });
  if (!OBJECT.is(given))
    throw invalid('no object', 'Export what definePlugin gives, or a function that gives it.');
  const plugin = given as Plugin;
  const remedy = 'Mend what the module exports; definePlugin types it.';
  const [fault] = fieldFaults('it', fieldsOf(plugin), FIELDS, remedy);
  if (fault)
    throw pluginError('PLUGIN_INVALID', {
      plugin: name,
      found: `${fault.subject}: ${String(fault.found ?? 'nothing')}`,
      ...(fault.allowed !== undefined && { allowed: fault.allowed }),
      remedy: fault.remedy,
    });
  for (const [hook, kind] of Object.entries(HOOKS)) {
    const own = (plugin.observer as Readonly<Record<string, unknown>> | undefined)?.[hook];
    if (own !== undefined && !kind.is(own)) throw invalid(`observer.${hook} is no function`, remedy);
  }
  if (plugin.observer && !plugin.observer.preCompact && !plugin.observer.postCompact)
    throw invalid('an observer without preCompact and postCompact', 'Give it one of the two.');
  if (manifest) checkPromise(plugin, manifest, invalid);
  return bound(plugin, name);
}

/** What stands in a plugin, of whatever class it is. */
function fieldsOf(plugin: Plugin): Readonly<Record<string, unknown>> {
  const known = Object.keys(FIELDS) as (keyof Plugin)[];
  return Object.fromEntries(known.map((key) => [key, plugin[key]]));
}

const ARTICLES = { observer: 'an', compactor: 'a' } as const;

/** Manifest and module have to say the same: operators read the one and run the other. */
function checkPromise(
  plugin: Plugin,
  manifest: Manifest,
  invalid: (found: string, remedy: string) => Error,
): void {
  const remedy = 'Mend the manifest or the module: they say the same.';
  for (const role of ['observer', 'compactor'] as const) {
    const isPromised = rolesOf(manifest).includes(role);
    const isThere = plugin[role] !== undefined;
    if (isPromised && !isThere) throw invalid(`no ${role}, which its manifest names as a role`, remedy);
    if (isThere && !isPromised)
      throw invalid(`${ARTICLES[role]} ${role}, which its manifest does not name as a role`, remedy);
  }
  for (const list of LISTS) {
    const promised = manifest[list];
    const there = (plugin[list] ?? []).map(({ name }) => name);
    const missing = promised.filter((name) => !there.includes(name));
    const extra = there.filter((name) => !promised.includes(name));
    if (missing.length > 0)
      throw invalid(`no ${missing.join(', ')} among its ${list}, which its manifest names`, remedy);
    if (extra.length > 0)
      throw invalid(`${extra.join(', ')} among its ${list}, which its manifest does not name`, remedy);
  }
  if (manifest.knobs && !plugin.knobs) throw invalid('no knobs, which its manifest names', remedy);
  if (plugin.knobs && !manifest.knobs) throw invalid('knobs, which its manifest does not name', remedy);
}

/** The same under the name of the settings; methods of a class keep their `this`. */
function bound(plugin: Plugin, name: string): LoadedPlugin {
  const {
    summary,
    knobs,
    stages = [],
    summarizers = [],
    counters = [],
    formats = [],
    observer,
    compactor,
  } = plugin;
  return Object.freeze({
    name,
    ...(summary !== undefined && { summary }),
    ...(knobs && { knobs: knobs as ZodType<unknown> }),
    stages,
    summarizers,
    counters,
    formats,
    ...(observer && { observer }),
    ...(compactor && { compactor }),
    ...(plugin.open && { open: plugin.open.bind(plugin) }),
    ...(plugin.close && { close: plugin.close.bind(plugin) }),
  });
}
