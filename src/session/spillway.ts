import type { Observable } from 'rxjs';
import { knobSchemas, type ConfigEntry, type EffectiveConfig, type KnobSchemas } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { createRedact } from '../text/facts/index.js';
import type { HookInFlight, PluginHost } from './plugins/index.js';
import type { CompactionStage, PluginRole, SessionStore } from '../spi/index.js';
import { Background } from './ahead/background.js';
import { savedPlan } from './ahead/prepared-plan.js';
import { checkOptions } from './arguments.js';
import { costsOf, ProjectCosts, type Costs } from './costs.js';
import { EngineEvents, type EngineEvent } from './engine-events.js';
import { openThread, type OpenedThread } from './persistence/stored-thread.js';
import { SessionMap, type SessionMapOptions } from './session-map.js';
import type { SessionOptions } from './session-options.js';
import { Session } from './session.js';
import type { EngineCore, EngineParts, SessionScope } from './wiring.js';

/** A provided stage as operators see it; `opensAt` is absent where the roster leaves it out. */
export interface ListedStage {
  readonly name: string;
  readonly opensAt?: number;
  readonly summary: string;
  readonly options: unknown;
}

/** A loaded plugin as operators see it. */
export interface ListedPlugin {
  readonly name: string;
  readonly summary?: string;
  readonly roles: readonly PluginRole[];
  /** Names of what it brings. */
  readonly stages: readonly string[];
  readonly summarizers: readonly string[];
  readonly counters: readonly string[];
  readonly formats: readonly string[];
  /** Values of its knobs, as they are in force for all. */
  readonly knobs: unknown;
  /** Hooks that were called and have not settled, given up or not. */
  readonly inFlight: readonly HookInFlight[];
}

/** Everything that operators may turn, with its value and who set it. */
export interface ListedKnobs extends KnobSchemas {
  /** One for each setting, option and knob. */
  readonly values: readonly ConfigEntry[];
}

const namesOf = (list: readonly { readonly name: string }[] = []): string[] => list.map(({ name }) => name);

interface SpillwayParts extends EngineParts {
  readonly stages: readonly CompactionStage[];
  /** Where sessions are kept that outlive the process; absent where none was named. */
  readonly store?: SessionStore | undefined;
  /** Makes what a session is made of. */
  readonly openScope: (engine: EngineCore, options: SessionOptions) => SessionScope;
  /** Of the engine that this one takes the place of. */
  readonly lasting?: Lasting | undefined;
}

/** What outlives a change of settings: what was spent, whom not to ask for now, and the plugins that are open. */
export interface Lasting extends Pick<EngineCore, 'costs' | 'breakers'> {
  readonly plugins: PluginHost;
}

/** The engine: one configuration, many sessions. */
export class Spillway {
  readonly config: EffectiveConfig;
  readonly #of: SpillwayParts;
  readonly #core: EngineCore;
  #opened = 0;
  #asides = 0;

  /** @hidden `createSpillway` and `openSpillway` make one. */
  constructor(parts: SpillwayParts) {
    const { clock } = parts.effects;
    this.config = parts.config;
    this.#of = parts;
    const configs = [parts.config, ...Object.values(parts.config.agents)];
    const events = new EngineEvents(clock);
    parts.plugins.onSaid = events.said;
    const { fill } = parts.config.settings;
    const asking = configs.filter((config) => parts.openFillerOf(config) !== undefined);
    const prepares = asking.some(({ settings }) => settings.fill.prepareAt !== null);
    const background = new Background({
      store: parts.store,
      atOnce: fill.concurrency,
      isShared: fill.queue === 'store' && prepares,
      works: fill.work,
      partsFor: ({ sessionId, agentPath, model }) =>
        this.#scopeOf({ id: sessionId, agentPath, ...(model !== null && { model }) }).pieces,
    });
    this.#core = {
      ...parts,
      redact: new Map(configs.map((config) => [config, createRedact(config.settings.redact)])),
      costs: parts.lasting?.costs ?? new ProjectCosts(clock),
      breakers: parts.lasting?.breakers ?? new Map(),
      background,
      events,
      newId: () => `s${++this.#opened}`,
    };
  }

  /** What happens in any session of this engine, each event with its session, agent path and model. Hot. */
  get events(): Observable<EngineEvent> {
    return this.#core.events.all;
  }

  /** What all sessions of this engine cost since it was opened, and never less. `session.operator.costs` has each one's. */
  get costs(): Costs {
    return this.#core.costs.totals;
  }

  /**
   * What all sessions of the store cost as far as it is stored, whichever process they ran in; without a store the same as
   * `costs`.
   */
  async projectCosts(): Promise<Costs> {
    const { store } = this.#of;
    return store ? costsOf(await store.usage()) : this.costs;
  }

  /** The roster in order, then what is provided and switched off. */
  get stages(): readonly ListedStage[] {
    const { policy, stages, config } = this.#of;
    const open = policy.stages.map(({ stage: name, opensAt, plugin: { summary }, options }) => {
      return { name, opensAt, summary, options };
    });
    const named = new Set(open.map(({ name }) => name));
    const off = stages.filter(({ name }) => !named.has(name));
    return [...open, ...off.map(({ name, summary }) => ({ name, summary, options: config.stages[name] }))];
  }

  /** Settings, options of stages and knobs of plugins: their schemas, values, and who set them. */
  get knobs(): ListedKnobs {
    const { stages, plugins: host, config } = this.#of;
    const { plugins } = host;
    const knobs = plugins.flatMap(({ name, knobs: own }) => (own ? [[name, own] as const] : []));
    const names = {
      counters: plugins.flatMap(({ counters }) => namesOf(counters)),
      summarizers: plugins.flatMap(({ summarizers }) => namesOf(summarizers)),
      compactors: plugins.flatMap(({ name, compactor }) => (compactor ? [name] : [])),
    };
    const options = Object.fromEntries(stages.map(({ name, options: own }) => [name, own]));
    return { ...knobSchemas(options, Object.fromEntries(knobs), names), values: config.entries };
  }

  /** What was loaded, in the order it was named, with the hooks that have not settled. */
  get plugins(): readonly ListedPlugin[] {
    const { plugins, inFlight } = this.#of.plugins;
    return plugins.map(({ name, summary, observer, compactor, ...brings }) => ({
      name,
      ...(summary !== undefined && { summary }),
      roles: [...(observer ? ['observer' as const] : []), ...(compactor ? ['compactor' as const] : [])],
      stages: namesOf(brings.stages),
      summarizers: namesOf(brings.summarizers),
      counters: namesOf(brings.counters),
      formats: namesOf(brings.formats),
      knobs: this.config.knobs[name],
      inFlight: [...inFlight].filter(({ plugin }) => plugin === name),
    }));
  }

  /** @hidden For the engine that takes the place of this one. */
  get lasting(): Lasting {
    const { costs, breakers, plugins } = this.#core;
    return { costs, breakers, plugins };
  }

  /** A session for one agent path that lives as long as the process. */
  session<Message = unknown>(options: SessionOptions = {}): Session<Message> {
    return this.#sessionIn(this.#scopeOf(options), options);
  }

  /**
   * Opens a session that outlives the process, as far as its store has it: log, ledger, what waits for a yes, what was
   * spent. Reads all of it. Rejects with `STORE_UNKNOWN` where no store was named.
   */
  open<Message = unknown>(options: SessionOptions & { readonly id: string }): Promise<Session<Message>> {
    return this.#open<Message>(options, false);
  }

  /** @hidden The same of one that nobody has opened before: where the store is away, it goes on from memory until that is back. */
  openNew(options: SessionOptions & { readonly id: string }): Promise<Session> {
    return this.#open(options, true);
  }

  async #open<Message = unknown>(
    options: SessionOptions & { readonly id: string },
    isNew: boolean,
  ): Promise<Session<Message>> {
    const scope = this.#scopeOf(options);
    const { key, gauge, settings, summarizer } = scope.pieces;
    await gauge.loading;
    const opened = await openThread(this.store, key, scope.pieces, isNew);
    const { store } = this.#core.background;
    const prepares = !isNew && store && summarizer.filler && settings.fill.prepareAt !== null;
    const prepared = prepares ? await savedPlan(store, key) : undefined;
    return this.#sessionIn<Message>(scope, options, { ...opened, prepared });
  }

  /** Sessions by key, at most so many at a time: kept in the store where there is one. */
  sessionMap<Message = unknown>(
    options: Omit<SessionOptions, 'id'> & SessionMapOptions = {},
  ): SessionMap<Message> {
    checkOptions('spillway.sessionMap', options);
    const { most, ...each } = options;
    const isKept = this.#of.store !== undefined;
    return new SessionMap(
      (id) => (isKept ? this.open({ ...each, id }) : this.session({ ...each, id })),
      most,
    );
  }

  /** Where sessions are kept; throws `STORE_UNKNOWN` where no store was named. */
  get store(): SessionStore {
    const { store } = this.#of;
    if (store) return store;
    throw new SpillwayError('STORE_UNKNOWN', {
      subject: 'store',
      found: 'none',
      allowed: 'memory, sqlite:FILE, postgres://HOST/NAME, or a store of your own',
      remedy: "Name one: createSpillway({ store: 'sqlite:./spillway.db' }).",
    });
  }

  /** Ends what is prepared in the background, leaving it to others where there are any, and lets go of the store. */
  async close(): Promise<void> {
    await this.#core.background.stop();
    await this.#of.plugins.end();
    await this.#of.store?.close();
  }

  #sessionIn<Message>(scope: SessionScope, options: SessionOptions, opened?: OpenedThread): Session<Message> {
    scope.opened(opened);
    const { key, gauge, stream } = scope.pieces;
    return new Session<Message>(scope.pieces, () => {
      const agentPath = `${key.agentPath}/aside-${++this.#asides}`;
      const own = { ...options, id: key.sessionId, agentPath };
      // Its options are the session's, checked there; its path may be longer than a host may name.
      const aside = this.#of.openScope(this.#core, own);
      aside.pieces.gauge.takeOver(gauge.knowledge);
      stream.emit({ kind: 'aside', agentPath });
      return this.#sessionIn(aside, own);
    });
  }

  #scopeOf(options: SessionOptions): SessionScope {
    checkOptions('spillway.session', options);
    return this.#of.openScope(this.#core, options);
  }
}
