import type { ServiceIdentifier } from 'inversify';
import type { AgentConfig, EffectiveConfig, Overrides } from '../config/index.js';
import { either, FUNCTION, having, listOf, OBJECT, TEXT, type Kind } from '../errors/index.js';
import type { Policy } from '../pipeline/index.js';
import type {
  Effects,
  Follower,
  Gauge,
  Pipeline,
  Recall,
  sessionIn,
  SessionOptions,
  Spillway,
} from '../session/index.js';
import type { PluginHost } from '../session/plugins/index.js';
import type {
  CompactionStage,
  Plugin,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from '../spi/index.js';
import type { OpenFiller } from '../summarizers/index.js';
import type { Catalogue, PriceOf } from '../tokens/index.js';
import type { EnginePlugins } from './config.js';
import type { LazyPrices } from './tokens.js';

/** Sources of settings, strongest last: defaults, profile, file, environment, code. */
export interface ConfigSources {
  readonly profile?: string;
  readonly configFile?: string;
  /**
   * Variables named SPILLWAY_…, and those that hold keys (`apiKeyEnv`). The library does not read the environment on
   * its own: pass `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: Overrides;
}

/** Options of one opening, in addition to the bindings of the container. */
export interface Opening extends ConfigSources {
  /** Name of the default wire format of sessions, if no format object is bound. */
  readonly format?: string;
  /** Replaces the bound store and the store in the settings; null: no store. */
  readonly store?: string | SessionStore | null;
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** False: plugins are loaded but not opened, for an engine that is only inspected. */
  readonly opensPlugins?: boolean;
  /** The state of the engine that this one replaces; this engine takes it over. */
  readonly lasting?: Spillway['lasting'];
}

/** The type of each service. */
export interface Services {
  /* You may bind these. `Stage` and `Plugin` take many bindings; the others take one. */
  /** `createContainer` binds the built-in stages, which can be unbound like any other. */
  readonly Stage: CompactionStage;
  /** Plugins in addition to those that the settings name. Each needs a name. */
  readonly Plugin: Plugin;
  readonly WireFormat: WireFormat;
  readonly TokenCounter: TokenCounter;
  readonly Effects: Effects;
  readonly Catalogue: Catalogue;
  /** Writes better text for the replacements of a plan; takes precedence over the model in the settings. */
  readonly Summarizer: Summarizer;
  /** Facts for every request to a summarizer, in addition to the transcript. */
  readonly SummaryLines: { readonly lines: SummaryLines };
  readonly PriceOf: PriceOf;
  /** Store for sessions that outlive the process: one of your own, or one that `openStore` opens. */
  readonly Store: SessionStore;
  /** Plans runs for all sessions: asks the stages, and checks and measures their edits. */
  readonly Pipeline: Pipeline;
  /* Each session has its own instance of these: bind them in transient scope. */
  /** The options that a session was opened with, for the services below. It is bound for you. */
  readonly Session: SessionOptions;
  readonly Gauge: Pick<Gauge, keyof Gauge>;
  readonly Follower: Pick<Follower, keyof Follower>;
  readonly Recall: Pick<Recall, keyof Recall>;
  /* The opening binds these, and refuses a container that already binds one of them. */
  readonly Config: EffectiveConfig;
  readonly Policy: Policy;
  readonly OpenFiller: OpenFiller;
  readonly Spillway: Spillway;
}

const NAMES = [
  ...(['Stage', 'Plugin', 'WireFormat', 'TokenCounter', 'Effects', 'Catalogue', 'Summarizer'] as const),
  ...(['SummaryLines', 'PriceOf', 'Store', 'Config', 'Policy', 'OpenFiller', 'Spillway'] as const),
  ...(['Pipeline', 'Session', 'Gauge', 'Follower', 'Recall'] as const),
];

/** The identifiers of services: a host binds its own parts to them, and injects the parts that an opening created. */
export const SERVICES = Object.fromEntries(
  NAMES.map((name) => [name, Symbol.for(`spillway.${name}`)]),
) as unknown as { readonly [Name in keyof Services]: ServiceIdentifier<Services[Name]> };

const service = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** Like `sessionIn`, with a new container. */
export type OpenScope =
  Parameters<typeof sessionIn> extends [unknown, ...infer Rest]
    ? (...of: Rest) => ReturnType<typeof sessionIn>
    : never;

/** Internal services that the modules of this folder use, and no host. */
export const OWN = {
  /** Bound if a container already has the built-in stages, as its host wants them. */
  HasStages: service<true>('HasStages'),
  Opening: service<Opening>('Opening'),
  /** All bound stages, in the order in which they were found. */
  Stages: service<readonly CompactionStage[]>('Stages'),
  /** Prices from the published sheets, if these are loaded. */
  Sheets: service<LazyPrices>('Sheets'),
  Plugins: service<EnginePlugins>('Plugins'),
  /** All stages that the roster may name, including those of plugins. */
  Known: service<readonly CompactionStage[]>('Known'),
  PluginHost: service<PluginHost>('PluginHost'),
  Kept: service<Kept>('Kept'),
  PolicyOf: service<(config: AgentConfig) => Policy>('PolicyOf'),
  /** Creates the pieces of a session. */
  OpenScope: service<OpenScope>('OpenScope'),
  FillerFor: service<FillerFor>('FillerFor'),
  Fillers: service<ReadonlyMap<AgentConfig, OpenFiller>>('Fillers'),
} as const;

/** Opens the summarizers of a configuration; undefined if it asks for no text. */
export type FillerFor = (config: AgentConfig) => Promise<OpenFiller | undefined>;

/** The store of sessions, if any. `isOurs`: the engine opened it from an address, and closes it. */
export interface Kept {
  readonly store: SessionStore | undefined;
  readonly isOurs: boolean;
}

/** Services with a single value, in the order of their creation, with the members that each needs. */
export const SINGLE = new Map<ServiceIdentifier<unknown>, Kind>([
  [SERVICES.Effects, having({ clock: FUNCTION, timer: FUNCTION })],
  [SERVICES.PriceOf, FUNCTION],
  [SERVICES.Catalogue, having({ lookup: FUNCTION })],
  [SERVICES.TokenCounter, having({ count: FUNCTION })],
  [SERVICES.Store, having({ load: FUNCTION, write: FUNCTION })],
  [SERVICES.WireFormat, having({ name: TEXT, messagesField: TEXT, parse: FUNCTION, serialise: FUNCTION })],
  [SERVICES.Summarizer, having({ summarize: FUNCTION })],
  [SERVICES.Pipeline, having({ plan: FUNCTION })],
  [SERVICES.SummaryLines, having({ lines: either(listOf(TEXT), FUNCTION) })],
]);

/** Services of which each session has its own, with the members that each needs. */
export const PER_SESSION = new Map<symbol, Kind>([
  [
    SERVICES.Gauge as symbol,
    having({ read: FUNCTION, observe: FUNCTION, talkTo: FUNCTION, learn: FUNCTION }),
  ],
  [SERVICES.Follower as symbol, having({ follow: FUNCTION, serialise: FUNCTION, compare: FUNCTION })],
  [SERVICES.Recall as symbol, having({ find: FUNCTION, read: FUNCTION })],
]);

export const STAGE = having({ name: TEXT, options: OBJECT, plan: FUNCTION });

/** A dependency that may be absent. */
export const optional = <T>(serviceIdentifier: ServiceIdentifier<T>) =>
  ({ serviceIdentifier, optional: true }) as never;
