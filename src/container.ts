import 'reflect-metadata';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import type { EffectiveConfig } from './config/index.js';
import { either, FUNCTION, having, listOf, OBJECT, SpillwayError, TEXT, type Kind } from './errors/index.js';
import { openEngine, SYSTEM_EFFECTS, type ConfigSources, type Engine } from './engine.js';
import { openaiChat } from './wire/index.js';
import type { Policy } from './pipeline/index.js';
import type { Effects, Spillway } from './session/index.js';
import type {
  CompactionStage,
  Plugin,
  SessionStore,
  Summarizer,
  SummaryLines,
  TokenCounter,
  WireFormat,
} from './spi/index.js';
import { BUILT_IN_STAGES } from './stages/index.js';
import type { OpenFiller } from './summarizers/index.js';
import type { Catalogue, PriceOf } from './tokens/index.js';

export type { ConfigSources } from './engine.js';

/** The services by which a host brings its own parts, and by which it has injected what an opening made. */
export const SERVICES = {
  /* You bind these. `Stage` and `Plugin` take many; the others take one. */
  Stage: Symbol.for('spillway.Stage') as ServiceIdentifier<CompactionStage>,
  /** Beside those that the settings name. Each needs a name. */
  Plugin: Symbol.for('spillway.Plugin') as ServiceIdentifier<Plugin>,
  WireFormat: Symbol.for('spillway.WireFormat') as ServiceIdentifier<WireFormat>,
  TokenCounter: Symbol.for('spillway.TokenCounter') as ServiceIdentifier<TokenCounter>,
  Effects: Symbol.for('spillway.Effects') as ServiceIdentifier<Effects>,
  Catalogue: Symbol.for('spillway.Catalogue') as ServiceIdentifier<Catalogue>,
  /** Writes better text for what a plan replaces; wins over the settings' model. */
  Summarizer: Symbol.for('spillway.Summarizer') as ServiceIdentifier<Summarizer>,
  /** Facts that every request of a summarizer is told beside the transcript. */
  SummaryLines: Symbol.for('spillway.SummaryLines') as ServiceIdentifier<{ readonly lines: SummaryLines }>,
  PriceOf: Symbol.for('spillway.PriceOf') as ServiceIdentifier<PriceOf>,
  /** Where sessions are kept that outlive the process; one of your own, or what `openStore` opens. */
  Store: Symbol.for('spillway.Store') as ServiceIdentifier<SessionStore>,
  /* The opening binds these, and refuses a container that binds one itself. */
  Config: Symbol.for('spillway.Config') as ServiceIdentifier<EffectiveConfig>,
  Policy: Symbol.for('spillway.Policy') as ServiceIdentifier<Policy>,
  OpenFiller: Symbol.for('spillway.OpenFiller') as ServiceIdentifier<OpenFiller>,
  Spillway: Symbol.for('spillway.Spillway') as ServiceIdentifier<Spillway>,
} as const;

const OF_THE_OPENING: readonly ServiceIdentifier[] = [
  SERVICES.Config,
  SERVICES.Policy,
  SERVICES.OpenFiller,
  SERVICES.Spillway,
];

/** What a bound value has to have at least: a wrong one is told at the opening, not at some later call. */
const SHAPES = new Map<ServiceIdentifier<unknown>, Kind>([
  [SERVICES.Stage, having({ name: TEXT, options: OBJECT, plan: FUNCTION })],
  [SERVICES.WireFormat, having({ name: TEXT, messagesField: TEXT, parse: FUNCTION, serialise: FUNCTION })],
  [SERVICES.TokenCounter, having({ count: FUNCTION })],
  [SERVICES.Effects, having({ clock: FUNCTION, timer: FUNCTION })],
  [SERVICES.Catalogue, having({ lookup: FUNCTION })],
  [SERVICES.Summarizer, having({ summarize: FUNCTION })],
  [SERVICES.SummaryLines, having({ lines: either(listOf(TEXT), FUNCTION) })],
  [SERVICES.PriceOf, FUNCTION],
  [SERVICES.Store, having({ load: FUNCTION, write: FUNCTION })],
]);

/** What the wings bring: bound before any engine is opened, one module a wing. */
const BUILT_IN = {
  stages: new ContainerModule(({ bind }) => {
    for (const stage of BUILT_IN_STAGES) bind(SERVICES.Stage).toConstantValue(stage);
  }),
  wire: new ContainerModule(({ bind }) => void bind(SERVICES.WireFormat).toConstantValue(openaiChat)),
  session: new ContainerModule(({ bind }) => void bind(SERVICES.Effects).toConstantValue(SYSTEM_EFFECTS)),
};

type Put = <T>(service: ServiceIdentifier<T>, value: T) => void;

/** What the wings made of the settings: bound when an engine is open, one module a wing. */
const OF_AN_ENGINE: Readonly<Record<string, (engine: Engine, put: Put) => void>> = {
  config: ({ config }, put) => put(SERVICES.Config, config),
  pipeline: ({ policy }, put) => put(SERVICES.Policy, policy),
  tokens: ({ catalogue, counter, priceOf }, put) => {
    put(SERVICES.Catalogue, catalogue);
    put(SERVICES.TokenCounter, counter);
    put(SERVICES.PriceOf, priceOf);
  },
  summarizers: ({ openFiller }, put) => {
    if (openFiller) put(SERVICES.OpenFiller, openFiller);
  },
  session: ({ spillway }, put) => put(SERVICES.Spillway, spillway),
};

/** A container with everything built in. Bind your own stages to `SERVICES.Stage`, then call `openSpillway`. */
export function createContainer(): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...Object.values(BUILT_IN));
  return container;
}

/** What an opening chose itself and bound: of no weight when the same container is opened again. */
const chosen = new WeakMap<Container, Map<ServiceIdentifier, unknown>>();

/**
 * Opens the engine with what the container binds, and binds what it chose itself, the engine too. Any container will
 * do, a child too: the built-in stages need no binding. As often as asked; the newest engine is the one that is bound.
 * Rejects with `CONFIG_INVALID` where a service has two bindings, none that holds a value, one that throws, a value of
 * another kind, or one of yours where the opening binds, and leaves the container as it was.
 */
export async function openSpillway(container: Container, sources: ConfigSources = {}): Promise<Spillway> {
  const before = chosen.get(container);
  for (const service of OF_THE_OPENING) checkOwn(container, service, before);
  const bound = <T>(service: ServiceIdentifier<T>): T | undefined => {
    const value = boundIn(container, service);
    return before?.has(service) && before.get(service) === value ? undefined : value;
  };
  const own = resolved(SERVICES.Stage, () =>
    container.isBound(SERVICES.Stage) ? container.getAll(SERVICES.Stage, { chained: true }) : [],
  );
  for (const stage of own) checkShape(SERVICES.Stage, stage);
  const plugins = resolved(SERVICES.Plugin, () =>
    container.isBound(SERVICES.Plugin) ? container.getAll(SERVICES.Plugin, { chained: true }) : [],
  );
  const ownPrices = bound(SERVICES.PriceOf);
  const engine = await openEngine(
    {
      stages: [...BUILT_IN_STAGES.filter((stage) => !own.includes(stage)), ...own],
      plugins,
      format: bound(SERVICES.WireFormat),
      effects: bound(SERVICES.Effects),
      catalogue: bound(SERVICES.Catalogue),
      counter: bound(SERVICES.TokenCounter),
      priceOf: ownPrices,
      store: bound(SERVICES.Store),
      summarizer: bound(SERVICES.Summarizer),
      summaryLines: bound(SERVICES.SummaryLines)?.lines,
    },
    sources,
  );
  bindEngine(container, { ...engine, priceOf: ownPrices ?? engine.priceOf });
  return engine.spillway;
}

/** Binds what an opening made, and leaves what the host bound of it as it is. */
function bindEngine(container: Container, engine: Engine): void {
  const before = chosen.get(container);
  const made = new Map<ServiceIdentifier, unknown>();
  const wings = Object.values(OF_AN_ENGINE).map(
    (wing) =>
      new ContainerModule(({ bind, rebind }) =>
        wing(engine, (service, value) => {
          const isBound = container.isCurrentBound(service);
          const isTheirs = isBound && boundIn(container, service) === value;
          if (isTheirs && !before?.has(service)) return;
          (isBound ? rebind(service) : bind(service)).toConstantValue(value);
          made.set(service, value);
        }),
      ),
  );
  container.load(...wings);
  for (const service of OF_THE_OPENING)
    if (before?.has(service) && !made.has(service)) container.unbind(service);
  chosen.set(container, made);
}

/** Refuses what somebody else has bound where an opening binds: it would be replaced without a word. */
function checkOwn(
  container: Container,
  service: ServiceIdentifier,
  before: ReadonlyMap<ServiceIdentifier, unknown> | undefined,
): void {
  if (!container.isCurrentBound(service)) return;
  if (before?.has(service) && boundIn(container, service) === before.get(service)) return;
  throw badBinding(service, 'a binding of your own', 'Unbind it: the opening binds what it made.');
}

/** The one value of a service; undefined where nothing is bound. */
function boundIn<T>(container: Container, service: ServiceIdentifier<T>): T | undefined {
  if (!container.isBound(service)) return undefined;
  const [value, ...more] = resolved(service, () => container.getAll(service));
  if (more.length > 0)
    throw badBinding(
      service,
      `${more.length + 1} bindings`,
      'Only Stage and Plugin take many: unbind all but one, or use rebind.',
    );
  if (value === undefined || value === null)
    throw badBinding(service, 'a binding without a value', 'Bind a value to it, or bind nothing.');
  checkShape(service, value);
  return value;
}

function checkShape<T>(service: ServiceIdentifier<T>, value: T): void {
  const kind = SHAPES.get(service);
  if (!kind || kind.is(value)) return;
  throw badBinding(service, foundOf(value), `Bind ${kind.words}.`);
}

function foundOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'nothing' : String(value);
  const fields = Object.keys(value);
  return fields.length === 0 ? 'an object without fields' : `an object with ${fields.join(', ')}`;
}

/** What Inversify says of a binding that is a promise. */
const ASYNCHRONOUS = /asynchronous/i;

/** What a container says of its bindings, with the service named and what to do about it. */
function resolved<T, V>(service: ServiceIdentifier<T>, resolve: () => V): V {
  try {
    return resolve();
  } catch (cause) {
    const found = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
    const remedy = ASYNCHRONOUS.test(found)
      ? 'Wait for it before, and bind what it resolves to.'
      : 'See to it that the container can make it; the cause says what went wrong.';
    throw badBinding(service, found, remedy, cause);
  }
}

function badBinding<T>(
  service: ServiceIdentifier<T>,
  found: string,
  remedy: string,
  cause?: unknown,
): SpillwayError {
  const name = Object.entries(SERVICES).find(([, one]) => one === service)?.[0] ?? String(service);
  return new SpillwayError('CONFIG_INVALID', {
    subject: `binding of SERVICES.${name}`,
    found,
    remedy,
    ...(cause !== undefined && { cause }),
  });
}
