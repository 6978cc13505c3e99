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

/** Where settings come from, strongest last: defaults, profile, file, environment, code. */
export interface ConfigSources {
  readonly profile?: string;
  readonly configFile?: string;
  /**
   * Variables named SPILLWAY_…, and those that hold keys (`apiKeyEnv`). The library reads nothing from the environment by
   * itself: hand in `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: Overrides;
}

/** What one opening is told beside what the container binds. */
export interface Opening extends ConfigSources {
  /** Name of the format of sessions that name none, where no object is bound. */
  readonly format?: string;
  /** In place of what is bound, and of what the settings name; null: none. */
  readonly store?: string | SessionStore | null;
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** False: plugins are loaded and none is opened, for an engine that only says what it would be. */
  readonly opensPlugins?: boolean;
  /** Of the engine that this one takes the place of: it goes over to this one. */
  readonly lasting?: Spillway['lasting'];
}

/** What stands behind each service. */
export interface Services {
  /* You bind these. `Stage` and `Plugin` take many; the others take one. */
  /** `createContainer` binds the built-in ones, which can be unbound like any other. */
  readonly Stage: CompactionStage;
  /** Beside those that the settings name. Each needs a name. */
  readonly Plugin: Plugin;
  readonly WireFormat: WireFormat;
  readonly TokenCounter: TokenCounter;
  readonly Effects: Effects;
  readonly Catalogue: Catalogue;
  /** Writes better text for what a plan replaces; wins over the settings' model. */
  readonly Summarizer: Summarizer;
  /** Facts that every request of a summarizer is told beside the transcript. */
  readonly SummaryLines: { readonly lines: SummaryLines };
  readonly PriceOf: PriceOf;
  /** Where sessions are kept that outlive the process; one of your own, or what `openStore` opens. */
  readonly Store: SessionStore;
  /** Plans runs, for all sessions: stages are asked, their edits judged and measured. */
  readonly Pipeline: Pipeline;
  /* Of these each session has its own: bind them in transient scope. */
  /** What a session was opened with, for those below; it is bound for you. */
  readonly Session: SessionOptions;
  readonly Gauge: Pick<Gauge, keyof Gauge>;
  readonly Follower: Pick<Follower, keyof Follower>;
  readonly Recall: Pick<Recall, keyof Recall>;
  /* The opening binds these, and refuses a container that binds one itself. */
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

/** The services by which a host brings its own parts, and by which it has injected what an opening made. */
export const SERVICES = Object.fromEntries(
  NAMES.map((name) => [name, Symbol.for(`spillway.${name}`)]),
) as unknown as { readonly [Name in keyof Services]: ServiceIdentifier<Services[Name]> };

const service = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** `sessionIn`, with a new container. */
export type OpenScope =
  Parameters<typeof sessionIn> extends [unknown, ...infer Rest]
    ? (...of: Rest) => ReturnType<typeof sessionIn>
    : never;

/** What the wings ask of each other, and no host. */
export const OWN = {
  /** Says of a container that it has the built-in stages as its host wants them. */
  HasStages: service<true>('HasStages'),
  Opening: service<Opening>('Opening'),
  /** All that were bound, as they were found. */
  Stages: service<readonly CompactionStage[]>('Stages'),
  /** Prices of the published sheets, as far as these are loaded. */
  Sheets: service<LazyPrices>('Sheets'),
  Plugins: service<EnginePlugins>('Plugins'),
  /** All that the roster may name, those of plugins too. */
  Known: service<readonly CompactionStage[]>('Known'),
  PluginHost: service<PluginHost>('PluginHost'),
  Kept: service<Kept>('Kept'),
  PolicyOf: service<(config: AgentConfig) => Policy>('PolicyOf'),
  /** Makes what each session is made of. */
  OpenScope: service<OpenScope>('OpenScope'),
  FillerFor: service<FillerFor>('FillerFor'),
  Fillers: service<ReadonlyMap<AgentConfig, OpenFiller>>('Fillers'),
} as const;

/** Who writes text under a configuration; undefined where nobody is asked. */
export type FillerFor = (config: AgentConfig) => Promise<OpenFiller | undefined>;

/** Where sessions are kept, if anywhere, and whether who opened the engine left opening it to the settings. */
export interface Kept {
  readonly store: SessionStore | undefined;
  readonly isOurs: boolean;
}

/** Services of which there is one, in the order in which they are made, and what each has to have at least. */
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

/** What each session has its own of, and what each has to have at least. */
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
