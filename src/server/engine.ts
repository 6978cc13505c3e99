import type { Settings } from '../config/index.js';
import { openEngine, overridesOf, type ConfigSources, type Engine, type EngineParts } from '../engine.js';
import type { SessionStore } from '../spi/index.js';
import { BUILT_IN_STAGES } from '../stages/index.js';
import { openStore } from '../stores/index.js';
import { openCatalogue } from '../tokens/index.js';

/** What the service is made from: where settings come from, and parts of one's own. */
export interface ServiceSources extends ConfigSources {
  /** Wins over the setting `store`; memory where neither is there. */
  readonly store?: string | SessionStore;
  readonly stages?: EngineParts['stages'];
  readonly counter?: EngineParts['counter'];
  readonly summarizer?: EngineParts['summarizer'];
  readonly plugins?: EngineParts['plugins'];
}

export type Overrides = NonNullable<ConfigSources['settings']>;

/** The settings as files, environment and code have them. Rejects with `CONFIG_INVALID`. */
export async function settingsOf(sources: ServiceSources): Promise<Settings> {
  return (await engineOn(null, sources, {})).config.settings;
}

export async function storeFor({ store }: ServiceSources, settings: Settings): Promise<SessionStore> {
  if (store !== undefined && typeof store !== 'string') return store;
  return openStore(store ?? settings.store ?? 'memory:');
}

/** An engine with these settings over all others. Closing it leaves the store open. */
export async function engineOn(
  store: SessionStore | null,
  sources: ServiceSources,
  knobs: Overrides,
): Promise<Engine> {
  const { stages = [], counter, summarizer, plugins, store: _, settings, ...rest } = sources;
  const parts = { stages: [...BUILT_IN_STAGES, ...stages], counter, summarizer, plugins };
  const layers = { ...rest, settings: merge(settings ?? {}, knobs) };
  const plain = await openEngine({ ...parts, store: null, opensPlugins: false }, layers);
  if (!store) return plain;
  // Clients name their models with each request: the published limits are asked whatever the settings name.
  const catalogue = await openCatalogue({ overrides: overridesOf(plain.config.settings.models) });
  // A call that would fit is not to fail because a database is away.
  return openEngine({ ...parts, store: kept(store), catalogue, onStoreFailure: 'open' }, layers);
}

/** The same store, which who closes an engine does not close. */
function kept(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

type Tree = Readonly<Record<string, unknown>>;

/** Mappings key by key; of anything else the stronger stands. */
export function merge(weaker: Tree, stronger: Tree): Tree {
  const merged: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const under = merged[key];
    merged[key] = isTree(under) && isTree(value) ? merge(under, value) : value;
  }
  return merged;
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
