import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import type { EffectiveConfig } from './config/index.js';
import { SpillwayError } from './errors/index.js';
import { openEngine, SYSTEM_EFFECTS, type ConfigSources } from './engine.js';
import { openaiChat } from './wire/index.js';
import type { Policy } from './pipeline/index.js';
import type { Effects, Spillway } from './session/index.js';
import type {
  CompactionStage,
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

/** What can be bound from outside. `Stage` takes many; the others take one. */
export const SERVICES = {
  Stage: Symbol.for('spillway.Stage') as ServiceIdentifier<CompactionStage>,
  WireFormat: Symbol.for('spillway.WireFormat') as ServiceIdentifier<WireFormat>,
  TokenCounter: Symbol.for('spillway.TokenCounter') as ServiceIdentifier<TokenCounter>,
  Effects: Symbol.for('spillway.Effects') as ServiceIdentifier<Effects>,
  Config: Symbol.for('spillway.Config') as ServiceIdentifier<EffectiveConfig>,
  Catalogue: Symbol.for('spillway.Catalogue') as ServiceIdentifier<Catalogue>,
  Policy: Symbol.for('spillway.Policy') as ServiceIdentifier<Policy>,
  /** Writes better text for what a plan replaces; wins over the settings' model. */
  Summarizer: Symbol.for('spillway.Summarizer') as ServiceIdentifier<Summarizer>,
  /** Facts that every request of a summarizer is told beside the transcript. */
  SummaryLines: Symbol.for('spillway.SummaryLines') as ServiceIdentifier<{ readonly lines: SummaryLines }>,
  PriceOf: Symbol.for('spillway.PriceOf') as ServiceIdentifier<PriceOf>,
  OpenFiller: Symbol.for('spillway.OpenFiller') as ServiceIdentifier<OpenFiller>,
  /** Where sessions are kept that outlive the process; one of your own, or what `openStore` opens. */
  Store: Symbol.for('spillway.Store') as ServiceIdentifier<SessionStore>,
  Spillway: Symbol.for('spillway.Spillway') as ServiceIdentifier<Spillway>,
} as const;

/** A container with everything built in. Bind your own stages to `SERVICES.Stage`, then call `openSpillway`. */
export function createContainer(): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  for (const stage of BUILT_IN_STAGES) container.bind(SERVICES.Stage).toConstantValue(stage);
  container.bind(SERVICES.WireFormat).toConstantValue(openaiChat);
  container.bind(SERVICES.Effects).toConstantValue(SYSTEM_EFFECTS);
  return container;
}

/** What an opening chose itself and bound: of no weight when the same container is opened again. */
const chosen = new WeakMap<Container, Map<ServiceIdentifier, unknown>>();

/**
 * Opens the engine with what the container binds, and binds what it chose itself, the engine too. Any container will
 * do, a child too: the built-in stages need no binding. As often as asked; the newest engine is the one that is bound.
 * Rejects with `CONFIG_INVALID` where a service has two bindings, none that holds a value, or one that throws, and
 * leaves the container as it was.
 */
export async function openSpillway(container: Container, sources: ConfigSources = {}): Promise<Spillway> {
  const before = chosen.get(container);
  const bound = <T>(service: ServiceIdentifier<T>): T | undefined => {
    const value = boundIn(container, service);
    return before?.has(service) && before.get(service) === value ? undefined : value;
  };
  const own = resolved(SERVICES.Stage, () =>
    container.isBound(SERVICES.Stage) ? container.getAll(SERVICES.Stage, { chained: true }) : [],
  );
  const { spillway, config, policy, catalogue, counter, priceOf, openFiller } = await openEngine(
    {
      stages: [...BUILT_IN_STAGES.filter((stage) => !own.includes(stage)), ...own],
      format: bound(SERVICES.WireFormat),
      effects: bound(SERVICES.Effects),
      catalogue: bound(SERVICES.Catalogue),
      counter: bound(SERVICES.TokenCounter),
      priceOf: bound(SERVICES.PriceOf),
      store: bound(SERVICES.Store),
      summarizer: bound(SERVICES.Summarizer),
      summaryLines: bound(SERVICES.SummaryLines)?.lines,
    },
    sources,
  );
  const made = new Map<ServiceIdentifier, unknown>();
  const set = <T>(service: ServiceIdentifier<T>, value: T): void => {
    const isTheirs = container.isCurrentBound(service) && boundIn(container, service) === value;
    if (isTheirs && !before?.has(service)) return;
    const binding = container.isCurrentBound(service) ? container.rebind(service) : container.bind(service);
    binding.toConstantValue(value);
    made.set(service, value);
  };
  set(SERVICES.Config, config);
  set(SERVICES.Policy, policy);
  set(SERVICES.Spillway, spillway);
  set(SERVICES.Catalogue, catalogue);
  set(SERVICES.TokenCounter, counter);
  set(SERVICES.PriceOf, priceOf);
  if (openFiller) set(SERVICES.OpenFiller, openFiller);
  chosen.set(container, made);
  return spillway;
}

/** The one value of a service; undefined where nothing is bound. */
function boundIn<T>(container: Container, service: ServiceIdentifier<T>): T | undefined {
  if (!container.isBound(service)) return undefined;
  const [value, ...more] = resolved(service, () => container.getAll(service));
  if (more.length > 0)
    throw badBinding(
      service,
      `${more.length + 1} bindings`,
      'Only Stage takes many: unbind all but one, or use rebind.',
    );
  if (value === undefined || value === null)
    throw badBinding(service, 'a binding without a value', 'Bind a value to it, or bind nothing.');
  return value;
}

/** What a container says of its bindings, with the service named and what to do about it. */
function resolved<T, V>(service: ServiceIdentifier<T>, resolve: () => V): V {
  try {
    return resolve();
  } catch (cause) {
    const found = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
    const remedy = 'See to it that the container can make it; the cause says what went wrong.';
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
