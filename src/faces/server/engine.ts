import type { Container } from 'inversify';
import type { Settings } from '../../config/index.js';
import { createContainer, openSpillway, SERVICES, type ConfigSources } from '../../container/index.js';
import type { Spillway } from '../../session/index.js';
import type { CompactionStage, Plugin, SessionStore, Summarizer, TokenCounter } from '../../spi/index.js';
import { openStore, withDeadline } from '../../stores/index.js';

/** The sources of a service: of its settings, and the host's own parts. */
export interface ServiceSources extends ConfigSources {
  /** Wins over the setting `store`. Without either, sessions are kept in memory. */
  readonly store?: string | SessionStore;
  readonly stages?: readonly CompactionStage[];
  readonly counter?: TokenCounter;
  readonly summarizer?: Summarizer;
  readonly plugins?: readonly Plugin[];
}

export type Overrides = NonNullable<ConfigSources['settings']>;

/** The settings from files, environment and code. Rejects with `CONFIG_INVALID`. */
export async function settingsOf(sources: ServiceSources): Promise<Settings> {
  return (await engineOn(null, sources, {})).get(SERVICES.Config).settings;
}

export async function storeFor({ store }: ServiceSources, settings: Settings): Promise<SessionStore> {
  const opened =
    store !== undefined && typeof store !== 'string'
      ? store
      : await openStore(store ?? settings.store ?? 'memory:');
  return withDeadline(opened, settings.storeMs);
}

/**
 * The container of an engine with these settings, which win over all others. The engine takes over from `before`.
 * Closing the engine leaves the store open.
 */
export async function engineOn(
  store: SessionStore | null,
  { stages, counter, summarizer, plugins, store: _, settings, ...sources }: ServiceSources,
  knobs: Overrides,
  before?: Spillway,
): Promise<Container> {
  const container = createContainer({
    Stage: stages,
    TokenCounter: counter,
    Summarizer: summarizer,
    Plugin: plugins,
  });
  const layers = { ...sources, settings: merge(settings ?? {}, knobs) };
  // A call that fits must not fail because a database is away.
  await openSpillway(container, {
    ...layers,
    ...(store ? { store: keepOpen(store), onStoreFailure: 'open' } : { store: null, opensPlugins: false }),
    ...(before && { lasting: before.lasting }),
  });
  return container;
}

/** The store with a `close` that does nothing, so that closing an engine leaves it open. */
function keepOpen(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Merges mappings key by key; of other values, the stronger one wins. */
export function merge<Tree extends object>(weaker: Tree, stronger: object): Tree {
  const merged = { ...weaker } as Record<string, unknown>;
  for (const [key, value] of Object.entries(stronger)) {
    const under = merged[key];
    merged[key] = isTree(under) && isTree(value) ? merge(under, value) : value;
  }
  return merged as Tree;
}

const isTree = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
