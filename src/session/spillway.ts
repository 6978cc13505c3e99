import type { Observable } from 'rxjs';
import type { EffectiveConfig } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { redactFor } from '../facts/index.js';
import type { SessionStore } from '../spi/index.js';
import { Background } from './ahead/background.js';
import { savedPlan } from './ahead/prepared-plan.js';
import { checkOptions } from './arguments.js';
import { costsOf, ProjectCosts, type Costs } from './costs.js';
import { EngineEvents, type EngineEvent } from './engine-events.js';
import {
  listedKnobs,
  listedPlugins,
  listedStages,
  type ListedKnobs,
  type ListedPlugin,
  type ListedStage,
} from './listed.js';
import { partsFor, type EngineCore, type SpillwayParts } from './parts-for.js';
import { openThread } from './persistence/stored-thread.js';
import { SessionMap, type SessionMapOptions } from './session-map.js';
import type { SessionOptions } from './session-options.js';
import type { SessionParts } from './session-parts.js';
import { Session } from './session.js';

/** The engine: one configuration, many sessions. */
export class Spillway {
  readonly config: EffectiveConfig;
  readonly #core: EngineCore;
  #opened = 0;
  #asides = 0;

  /** @hidden `createSpillway` and `openSpillway` make one. */
  constructor(parts: SpillwayParts) {
    const { clock } = parts.effects;
    this.config = parts.config;
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
        this.#partsFor({ id: sessionId, agentPath, ...(model !== null && { model }) }),
    });
    this.#core = {
      parts,
      redact: new Map(configs.map((config) => [config, redactFor(config.settings.redact)])),
      costs: new ProjectCosts(clock),
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
    const { store } = this.#core.parts;
    return store ? costsOf(await store.usage()) : this.costs;
  }

  /** The roster in order, then what is provided and switched off. */
  get stages(): readonly ListedStage[] {
    const { policy, stages, config } = this.#core.parts;
    return listedStages(policy, stages, config);
  }

  /** Settings, options of stages and knobs of plugins: their schemas, values, and who set them. */
  get knobs(): ListedKnobs {
    const { stages, plugins } = this.#core.parts;
    return listedKnobs(stages, plugins, this.config);
  }

  /** What was loaded, in the order it was named, with the hooks that have not settled. */
  get plugins(): readonly ListedPlugin[] {
    return listedPlugins(this.#core.parts.plugins, this.config);
  }

  /** A session for one agent path that lives as long as the process. */
  session<Message = unknown>(options: SessionOptions = {}): Session<Message> {
    const parts = this.#partsFor(options);
    return new Session<Message>(parts, this.#asidesOf<Message>(parts, options));
  }

  /**
   * Opens a session that outlives the process, as far as its store has it: log, ledger, what waits for a yes, what was
   * spent. Reads the live tail, whatever came before. Rejects with `STORE_UNKNOWN` where no store was named.
   */
  async open<Message = unknown>(
    options: SessionOptions & { readonly id: string },
  ): Promise<Session<Message>> {
    const parts = this.#partsFor(options);
    const key = { sessionId: parts.id, agentPath: parts.agentPath };
    await parts.gauge.loading;
    const opened = await openThread(this.store, key, parts);
    const { store } = this.#core.background;
    const prepares = store && parts.filler && parts.prepareAt !== null;
    const prepared = prepares ? await savedPlan(store, key) : undefined;
    return new Session<Message>(parts, this.#asidesOf<Message>(parts, options), { ...opened, prepared });
  }

  /** Sessions by key, at most so many at a time: kept in the store where there is one. */
  sessionMap<Message = unknown>(
    options: Omit<SessionOptions, 'id'> & SessionMapOptions = {},
  ): SessionMap<Message> {
    checkOptions('spillway.sessionMap', options);
    const { most, ...each } = options;
    const isKept = this.#core.parts.store !== undefined;
    return new SessionMap((id) => (isKept ? this.open({ ...each, id }) : this.session({ ...each, id })), {
      ...(most !== undefined && { most }),
    });
  }

  /** Where sessions are kept; throws `STORE_UNKNOWN` where no store was named. */
  get store(): SessionStore {
    const { store } = this.#core.parts;
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
    await this.#core.parts.plugins.close();
    await this.#core.parts.store?.close();
  }

  #asidesOf<Message>(
    { id, agentPath, gauge, stream }: SessionParts,
    options: SessionOptions,
  ): () => Session<Message> {
    return () => {
      const path = `${agentPath}/aside-${++this.#asides}`;
      const own = { ...options, id, agentPath: path };
      const parts = this.#partsFor(own);
      parts.gauge.takeOver(gauge.knowledge);
      stream.emit({ kind: 'aside', agentPath: path });
      return new Session<Message>(parts, this.#asidesOf<Message>(parts, own));
    };
  }

  #partsFor(options: SessionOptions): SessionParts {
    checkOptions('spillway.session', options);
    return partsFor(this.#core, options);
  }
}
