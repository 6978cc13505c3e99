import 'reflect-metadata';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { SpillwayError, type Kind, thrownText } from '../errors/index.js';
import { sessionIn, type Spillway } from '../session/index.js';
import { BUILT_IN_STAGES } from '../stages/index.js';
import { configWing, EnginePlugins } from './config.js';
import { pipelineWing, sessionWing, storesWing } from './engine.js';
import { OWN, PER_SESSION, SERVICES, SINGLE, STAGE, type Opening, type Services } from './services.js';
import { textWing } from './text.js';
import { tokensWing } from './tokens.js';

export { SERVICES, type ConfigSources, type Opening, type Services } from './services.js';

/** Registers the built-in stages like custom ones: one binding per stage. */
const stagesWing = new ContainerModule(({ bind }) => {
  bind(OWN.HasStages).toConstantValue(true);
  for (const stage of BUILT_IN_STAGES) bind(SERVICES.Stage).toConstantValue(stage);
});

/** The modules that make up an engine. */
const WINGS = [configWing, tokensWing, storesWing, textWing, pipelineWing, sessionWing];

/** Services that an opening creates, and binds in the host's container. */
const CREATED: readonly ServiceIdentifier[] = [
  SERVICES.Config,
  SERVICES.Policy,
  SERVICES.OpenFiller,
  SERVICES.Spillway,
];
const CHOSEN: readonly ServiceIdentifier[] = [SERVICES.Catalogue, SERVICES.TokenCounter, SERVICES.PriceOf];

/** Parts passed in code, by service name. `Stage` and `Plugin` take lists. */
export type Parts = {
  readonly [Name in keyof Services]?:
    (Name extends 'Stage' | 'Plugin' ? readonly Services[Name][] : Services[Name]) | undefined;
};

/**
 * Creates a container with the built-in stages and these parts. The settings decide about parts that are undefined.
 * Bind more services, unbind those that you do not need, then call `openSpillway`.
 */
export function createContainer({ Stage = [], Plugin = [], ...single }: Parts = {}): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(stagesWing);
  for (const stage of Stage) container.bind(SERVICES.Stage).toConstantValue(stage);
  for (const plugin of Plugin) container.bind(SERVICES.Plugin).toConstantValue(plugin);
  for (const [name, value] of Object.entries(single))
    if (value !== undefined) container.bind<unknown>(SERVICES[name as keyof Parts]).toConstantValue(value);
  return container;
}

/** The bindings of the last opening of a container; another opening ignores them. */
const published = new WeakMap<Container, ContainerModule>();

/**
 * Opens the engine with the services that the container binds, and binds those that it creates itself, including the
 * engine. Accepts any container, also a child; one that `createContainer` did not create gets the built-in stages too.
 * May be called repeatedly; the newest engine is bound. Rejects with `CONFIG_INVALID` if a service has two bindings, a
 * binding without a value, one that throws, a value of another kind, or a binding of yours in place of the opening's;
 * then the container is unchanged.
 */
export async function openSpillway(container: Container, opening: Opening = {}): Promise<Spillway> {
  const given = hostServices(container);
  const engine = await openIn(container, opening, given);
  const made = [...CREATED, ...CHOSEN].filter(
    (service) => !given.has(service) && engine.isCurrentBound(service),
  );
  const module = new ContainerModule(({ bind }) => {
    for (const service of made)
      if (!container.isCurrentBound(service)) bind(service).toConstantValue(engine.get(service));
  });
  const before = published.get(container);
  if (before) container.unload(before);
  container.load(module);
  published.set(container, module);
  return engine.get(SERVICES.Spillway);
}

/** Services that the host binds in this container or a parent, without those that the last opening bound. */
function hostServices(host: Container): ReadonlySet<ServiceIdentifier> {
  const before = published.get(host);
  if (before) host.unload(before);
  try {
    const own = CREATED.find((service) => host.isCurrentBound(service));
    if (own) throw badBinding(own, 'a binding of your own', 'Unbind it: the opening binds what it made.');
    return new Set([...SINGLE.keys()].filter((service) => host.isBound(service)));
  } finally {
    if (before) host.load(before);
  }
}

/**
 * Creates a child of the host's container with an engine. Services that the host binds are resolved once, and the
 * modules create the others. Rejects like `openSpillway`.
 */
async function openIn(
  host: Container,
  opening: Opening,
  given: ReadonlySet<ServiceIdentifier>,
): Promise<Container> {
  const engine = new Container({ parent: host, defaultScope: 'Singleton' });
  if (!host.isBound(OWN.HasStages)) engine.load(stagesWing);
  const stages = allBound(engine, SERVICES.Stage);
  for (const stage of stages) checkShape(SERVICES.Stage, STAGE, stage);
  engine.load(...WINGS);
  for (const service of given) if (engine.isCurrentBound(service)) engine.unbind(service);
  engine.bind(OWN.OpenScope).toConstantValue((core, options) => sessionIn(scopeIn(engine), core, options));
  engine.bind(OWN.Opening).toConstantValue(opening);
  engine.bind(OWN.Stages).toConstantValue(stages);
  engine
    .bind(OWN.Plugins)
    .toConstantValue(new EnginePlugins(allBound(engine, SERVICES.Plugin), opening.lasting?.plugins.plugins));
  try {
    const config = await engine.getAsync(SERVICES.Config);
    for (const [service, kind] of SINGLE)
      if (given.has(service)) engine.bind(service).toConstantValue(boundIn(engine, service, kind));
      else if (engine.isBound(service)) await engine.getAsync(service);
    const filler = (await engine.getAsync(OWN.Fillers)).get(config);
    if (filler) engine.bind(SERVICES.OpenFiller).toConstantValue(filler);
    await engine.getAsync(SERVICES.Spillway);
    return engine;
  } catch (error) {
    await engine.unbindAsync(OWN.Kept).catch(() => {}); // closes a store that was opened for this engine
    throw error;
  }
}

/** A container for the services of a session that a host may bind or decorate. Its other parts need no container. */
function scopeIn(engine: Container): Parameters<typeof sessionIn>[0] {
  return {
    shared: (service) => engine.get(service),
    open: (options, makes) => {
      const own = new Container({ parent: engine, defaultScope: 'Singleton' });
      own.bind(SERVICES.Session).toConstantValue(options);
      for (const [service, make] of makes)
        if (!engine.isBound(service)) own.bind(service).toResolvedValue(make);
      for (const service of makes.keys())
        if (engine.isBound(service))
          own.bind<unknown>(service).toConstantValue(boundIn(own, service, PER_SESSION.get(service)!));
      return (service) => own.get(service);
    },
  };
}

/** All values of a service, including those of parent containers. */
function allBound<T>(container: Container, service: ServiceIdentifier<T>): T[] {
  return resolveBinding(service, () =>
    container.isBound(service) ? container.getAll(service, { chained: true }) : [],
  );
}

/** The single value of a service. */
function boundIn<T>(container: Container, service: ServiceIdentifier<T>, kind: Kind): T {
  const [value, ...more] = resolveBinding(service, () => container.getAll(service));
  if (more.length > 0)
    throw badBinding(
      service,
      `${more.length + 1} bindings`,
      'Only Stage and Plugin may have several bindings: unbind all but one, or use rebind.',
    );
  if (value === undefined || value === null)
    throw badBinding(service, 'a binding without a value', 'Bind a value to it, or bind nothing.');
  checkShape(service, kind, value);
  return value;
}

function checkShape<T>(service: ServiceIdentifier<T>, kind: Kind, value: T): void {
  if (!kind.is(value)) throw badBinding(service, foundOf(value), `Bind ${kind.words}.`);
}

function foundOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'nothing' : String(value);
  const fields = Object.keys(value);
  return fields.length === 0 ? 'an object without fields' : `an object with ${fields.join(', ')}`;
}

/** Matches Inversify's message about a binding that is a promise. */
const ASYNCHRONOUS = /asynchronous/i;

/** Resolves a binding. Errors of the container are reported with the name of the service and a remedy. */
function resolveBinding<T, V>(service: ServiceIdentifier<T>, resolve: () => V): V {
  try {
    return resolve();
  } catch (cause) {
    const found = thrownText(cause).split('\n', 1)[0]!;
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
