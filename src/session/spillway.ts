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

/** A provided stage, for operators; `opensAt` is absent if the stage is not in the roster. */
export interface ListedStage {
  readonly name: string;
  readonly opensAt?: number;
  readonly summary: string;
  readonly options: unknown;
}

/** A loaded plugin, for operators. */
export interface ListedPlugin {
  readonly name: string;
  readonly summary?: string;
  readonly roles: readonly PluginRole[];
  /** Names of the stages that the plugin provides; likewise below. */
  readonly stages: readonly string[];
  readonly summarizers: readonly string[];
  readonly counters: readonly string[];
  readonly formats: readonly string[];
  /** Values of its knobs in force for the engine. */
  readonly knobs: unknown;
  /** Hooks that were called and have not settled, even if the engine no longer waits for them. */
  readonly inFlight: readonly HookInFlight[];
}

/** Everything that operators may set, with its value and source. */
export interface ListedKnobs extends KnobSchemas {
  /** One entry for each setting, option and knob. */
  readonly values: readonly ConfigEntry[];
}

const namesOf = (list: readonly { readonly name: string }[] = []): string[] => list.map(({ name }) => name);

interface SpillwayParts extends EngineParts {
  readonly stages: readonly CompactionStage[];
  /** The store of sessions that outlive the process; absent if none was named. */
  readonly store?: SessionStore | undefined;
  /** Creates the parts of a session. */
  readonly openScope: (engine: EngineCore, options: SessionOptions) => SessionScope;
  /** Taken over from the engine that this one replaces. */
  readonly lasting?: Lasting | undefined;
}

/** The state that outlives a change of settings: costs, breakers and open plugins. */
export interface Lasting extends Pick<EngineCore, 'costs' | 'breakers'> {
  readonly plugins: PluginHost;
}

/** The engine: one configuration, many sessions. */
export class Spillway {
  readonly config: EffectiveConfig;
  readonly #parts: SpillwayParts;
  readonly #core: EngineCore;
  #opened = 0;
  #asides = 0;

  /** @hidden Use `createSpillway` or `openSpillway`. */
  constructor(parts: SpillwayParts) {
    const { clock } = parts.effects;
    this.config = parts.config;
    this.#parts = parts;
    const configs = [parts.config, ...Object.values(parts.config.agents)];
    const events = new EngineEvents(clock);
    parts.plugins.onMessage = events.onPluginMessage;
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

  /** The events of all sessions of this engine, each with its session, agent path and model. Hot. */
  get events(): Observable<EngineEvent> {
    return this.#core.events.all;
  }

  /** Costs of all sessions of this engine since it was opened; never falls. See also `session.operator.costs`. */
  get costs(): Costs {
    return this.#core.costs.totals;
  }

  /**
   * Stored costs of all sessions in the store, of all processes. Without a store the same as `costs`.
   * Costs that are not stored yet are not included.
   */
  async projectCosts(): Promise<Costs> {
    const { store } = this.#parts;
    return store ? costsOf(await store.usage()) : this.costs;
  }

  /** The roster in order, then the provided stages that are switched off. */
  get stages(): readonly ListedStage[] {
    const { policy, stages, config } = this.#parts;
    const open = policy.stages.map(({ stage: name, opensAt, plugin: { summary }, options }) => {
      return { name, opensAt, summary, options };
    });
    const named = new Set(open.map(({ name }) => name));
    const off = stages.filter(({ name }) => !named.has(name));
    return [...open, ...off.map(({ name, summary }) => ({ name, summary, options: config.stages[name] }))];
  }

  /** Settings, options of stages and knobs of plugins: schemas, values and sources. */
  get knobs(): ListedKnobs {
    const { stages, plugins: host, config } = this.#parts;
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

  /** Loaded plugins, in the order in which they were named, with their unsettled hooks. */
  get plugins(): readonly ListedPlugin[] {
    const { plugins, inFlight } = this.#parts.plugins;
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

  /** @hidden For the engine that replaces this one. */
  get lasting(): Lasting {
    const { costs, breakers, plugins } = this.#core;
    return { costs, breakers, plugins };
  }

  /** Creates a session for one agent path, which ends with the process. */
  session<Message = unknown>(options: SessionOptions = {}): Session<Message> {
    return this.#sessionIn(this.#scopeOf(options), options);
  }

  /**
   * Opens a session that outlives the process, with everything that its store has: log, ledger, a plan that waits for
   * approval, costs. Reads all of it. Rejects with `STORE_UNKNOWN` if no store was named.
   */
  open<Message = unknown>(options: SessionOptions & { readonly id: string }): Promise<Session<Message>> {
    return this.#open<Message>(options, false);
  }

  /** @hidden Opens a new session. If the store is unavailable, the session works from memory until it is back. */
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

  /** Creates a map of sessions by key, with at most `most` sessions at a time. They are stored if there is a store. */
  sessionMap<Message = unknown>(
    options: Omit<SessionOptions, 'id'> & SessionMapOptions = {},
  ): SessionMap<Message> {
    checkOptions('spillway.sessionMap', options);
    const { most, ...each } = options;
    const isKept = this.#parts.store !== undefined;
    return new SessionMap(
      (id) => (isKept ? this.open({ ...each, id }) : this.session({ ...each, id })),
      most,
    );
  }

  /** The store of the sessions; throws `STORE_UNKNOWN` if no store was named. */
  get store(): SessionStore {
    const { store } = this.#parts;
    if (store) return store;
    throw new SpillwayError('STORE_UNKNOWN', {
      subject: 'store',
      found: 'none',
      allowed: 'memory, sqlite:FILE, postgres://HOST/NAME, or a store of your own',
      remedy: "Name one: createSpillway({ store: 'sqlite:./spillway.db' }).",
    });
  }

  /** Stops background work, which other processes may take over, ends the plugins, and closes the store. */
  async close(): Promise<void> {
    await this.#core.background.stop();
    await this.#parts.plugins.end();
    await this.#parts.store?.close();
  }

  #sessionIn<Message>(scope: SessionScope, options: SessionOptions, opened?: OpenedThread): Session<Message> {
    scope.opened(opened);
    const { key, gauge, stream } = scope.pieces;
    return new Session<Message>(scope.pieces, () => {
      const agentPath = `${key.agentPath}/aside-${++this.#asides}`;
      const own = { ...options, id: key.sessionId, agentPath };
      // The options were checked for the session. The agent path may be longer than a host may name: no check.
      const aside = this.#parts.openScope(this.#core, own);
      aside.pieces.gauge.takeOver(gauge.knowledge);
      stream.emit({ kind: 'aside', agentPath });
      return this.#sessionIn(aside, own);
    });
  }

  #scopeOf(options: SessionOptions): SessionScope {
    checkOptions('spillway.session', options);
    return this.#parts.openScope(this.#core, options);
  }
}
