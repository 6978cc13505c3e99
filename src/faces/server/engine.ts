import type { Container } from 'inversify';
import type { Settings } from '../../config/index.js';
import { createContainer, openSpillway, SERVICES, type ConfigSources } from '../../container/index.js';
import type { Spillway } from '../../session/index.js';
import type { CompactionStage, Plugin, SessionStore, Summarizer, TokenCounter } from '../../spi/index.js';
import { openStore, withDeadline } from '../../stores/index.js';

/** What the service is made from: where settings come from, and parts of one's own. */
export interface ServiceSources extends ConfigSources {
  /** Wins over the setting `store`; memory where neither is there. */
  readonly store?: string | SessionStore;
  readonly stages?: readonly CompactionStage[];
  readonly counter?: TokenCounter;
  readonly summarizer?: Summarizer;
  readonly plugins?: readonly Plugin[];
}

export type Overrides = NonNullable<ConfigSources['settings']>;

/** The settings as files, environment and code have them. Rejects with `CONFIG_INVALID`. */
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
 * The container of an engine with these settings over all others, in the place of the one `before`. Closing the engine
 * leaves the store open.
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
  // A call that would fit is not to fail because a database is away.
  await openSpillway(container, {
    ...layers,
    ...(store ? { store: kept(store), onStoreFailure: 'open' } : { store: null, opensPlugins: false }),
    ...(before && { lasting: before.lasting }),
  });
  return container;
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

/** Mappings key by key; of anything else the stronger stands. */
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
