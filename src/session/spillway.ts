import type { Observable } from 'rxjs';
import {
  asksForText,
  chooseSummarizer,
  configOf,
  type AgentConfig,
  type EffectiveConfig,
} from '../config/index.js';
import { redactFor, type Redact } from '../facts/index.js';
import type { Policy } from '../pipeline/index.js';
import { formatNamed, withTurns } from '../wire/index.js';
import type { CompactionStage, SessionStore, SummaryLines, TokenCounter, WireFormat } from '../spi/index.js';
import type { OpenFiller } from '../summarizers/index.js';
import { createMeasure, measureTools, memoised, type Catalogue, type PriceOf } from '../tokens/index.js';
import type { PluginHost } from '../plugins/index.js';
import { asksPlugins, sessionPlugins } from './hooks/session-plugins.js';
import { checkOptions } from './arguments.js';
import { AuditTrail } from './audit.js';
import { CostBook, costsOf, ProjectCosts, type Costs } from './costs.js';
import { Follower } from './client/follow.js';
import { EngineEvents, type EngineEvent } from './engine-events.js';
import { createGauge } from './gauge.js';
import { Background } from './ahead/background.js';
import { savedPlan } from './ahead/prepared-plan.js';
import {
  listedKnobs,
  listedPlugins,
  listedStages,
  type ListedKnobs,
  type ListedPlugin,
  type ListedStage,
} from './listed.js';
import { logIntake } from './log-intake.js';
import { factTools } from './pins.js';
import { policiesInForce } from './policy-in-force.js';
import { tunedBy } from './run-overrides.js';
import type { SessionOptions } from './session-options.js';
import { SessionMap, type SessionMapOptions } from './session-map.js';
import { Session } from './session.js';
import type { SessionParts } from './session-parts.js';
import { openThread } from './persistence/stored-thread.js';
import { storeOf } from './store-of.js';

/** The outside world as the engine sees it. */
export interface Effects {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

export interface SpillwayParts {
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  /** The policy of an agent that has settings of its own. */
  readonly policyOf: (config: AgentConfig) => Policy;
  readonly stages: readonly CompactionStage[];
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  /** What sessions speak that name no format of their own. */
  readonly format: WireFormat;
  readonly effects: Effects;
  readonly priceOf: PriceOf;
  /** Where sessions are kept that outlive the process; absent where none was named. */
  readonly store?: SessionStore | undefined;
  /** Of sessions that do not say; `closed` where absent. */
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** Undefined where a configuration asks no summarizer. */
  readonly openFillerOf: (config: AgentConfig) => OpenFiller | undefined;
  /** Name of the summarizer that was handed in. */
  readonly summarizerInCode?: string | undefined;
  /** Whose hooks run around compactions. */
  readonly plugins: PluginHost;
  /** What every request of a summarizer is told beside the transcript. */
  readonly summaryLines?: SummaryLines | undefined;
}

/** The engine: one configuration, many sessions. */
export class Spillway {
  readonly config: EffectiveConfig;
  readonly #parts: SpillwayParts;
  readonly #redact: ReadonlyMap<AgentConfig, Redact>;
  readonly #costs: ProjectCosts;
  readonly #background: Background;
  readonly #events: EngineEvents;
  #opened = 0;
  #asides = 0;

  /** @hidden `createSpillway` and `openSpillway` make one. */
  constructor(parts: SpillwayParts) {
    this.#parts = parts;
    this.config = parts.config;
    const configs = [parts.config, ...Object.values(parts.config.agents)];
    this.#redact = new Map(configs.map((config) => [config, redactFor(config.settings.redact)]));
    this.#costs = new ProjectCosts(parts.effects.clock);
    this.#events = new EngineEvents(parts.effects.clock);
    parts.plugins.onSaid = this.#events.said;
    const { fill } = parts.config.settings;
    const asking = configs.filter((config) => parts.openFillerOf(config) !== undefined);
    const prepares = asking.some(({ settings }) => settings.fill.prepareAt !== null);
    this.#background = new Background({
      store: parts.store,
      atOnce: fill.concurrency,
      isShared: fill.queue === 'store' && prepares,
      works: fill.work,
      partsFor: ({ sessionId, agentPath, model }) =>
        this.#partsFor({ id: sessionId, agentPath, ...(model !== null && { model }) }),
    });
  }

  /** What happens in any session of this engine, each event with its session, agent path and model. Hot. */
  get events(): Observable<EngineEvent> {
    return this.#events.all;
  }

  /** What all sessions of this engine cost since it was opened, and never less. `session.operator.costs` has each one's. */
  get costs(): Costs {
    return this.#costs.totals;
  }

  /**
   * What all sessions of the store cost as far as it is stored, whichever process they ran in; without a store the same as
   * `costs`.
   */
  async projectCosts(): Promise<Costs> {
    const { store } = this.#parts;
    return store ? costsOf(await store.usage()) : this.costs;
  }

  /** The roster in order, then what is provided and switched off. */
  get stages(): readonly ListedStage[] {
    const { policy, stages, config } = this.#parts;
    return listedStages(policy, stages, config);
  }

  /** Settings, options of stages and knobs of plugins: their schemas, values, and who set them. */
  get knobs(): ListedKnobs {
    const { stages, plugins } = this.#parts;
    return listedKnobs(stages, plugins, this.config);
  }

  /** What was loaded, in the order it was named, with the hooks that have not settled. */
  get plugins(): readonly ListedPlugin[] {
    return listedPlugins(this.#parts.plugins, this.config);
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
    const { store } = this.#background;
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
    const isKept = this.#parts.store !== undefined;
    return new SessionMap((id) => (isKept ? this.open({ ...each, id }) : this.session({ ...each, id })), {
      ...(most !== undefined && { most }),
    });
  }

  /** Where sessions are kept; throws `STORE_UNKNOWN` where no store was named. */
  get store(): SessionStore {
    return storeOf(this.#parts.store);
  }

  /** Ends what is prepared in the background, leaving it to others where there are any, and lets go of the store. */
  async close(): Promise<void> {
    await this.#background.stop();
    await this.#parts.plugins.close();
    await this.#parts.store?.close();
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
    const { catalogue, counter, effects, priceOf } = this.#parts;
    const agentPath = options.agentPath ?? 'primary';
    const config = configOf(this.config, agentPath);
    const { settings } = config;
    const named = formatNamed(options.format ?? this.#parts.format, this.#parts.plugins.formats);
    const format = withTurns(named, settings.turns);
    const policy = config === this.config ? this.#parts.policy : this.#parts.policyOf(config);
    const plugins = sessionPlugins(this.#parts.plugins, config, options.instructions);
    const drafts = memoised(counter);
    const gauge = createGauge({
      settings,
      catalogue,
      counter,
      tools: measureTools(counter, options.tools ?? []),
      model: options.model,
    });
    const inForce = policiesInForce({ settings, gauge, format });
    const redact = this.#redact.get(config)!;
    const intake = logIntake(settings.redactLog, { redact, format, counter });
    const follower = new Follower(format, {
      ...intake,
      measureTools: (tools) => measureTools(counter, tools),
    });
    const costs = new CostBook(priceOf, this.#costs);
    const summarizer = chooseSummarizer(settings, this.#parts.summarizerInCode);
    const asked = asksForText(summarizer) ? this.#parts.openFillerOf(config) : undefined;
    const filler = asked?.({
      choice: summarizer,
      sessionModel: gauge.model,
      lines: options.summaryLines ?? this.#parts.summaryLines,
      // Not the memo: whole sources would push the drafts out of it.
      count: (text) => counter.count(text),
      timer: effects.timer,
      stopped: () => costs.stopped(settings.fill) ?? this.#costs.stopped(settings.fill),
    });
    const stream = this.#events.streamOf(() => ({ sessionId: id, agentPath, model: gauge.model }));
    if (filler) filler.onBreaker = (stage, state) => stream.emit({ kind: 'breaker', stage, state });
    const id = options.id ?? `s${++this.#opened}`;
    return {
      id,
      agentPath,
      format: format.name,
      provider: format.provider ?? {},
      get policy() {
        return inForce(policy);
      },
      pins: {
        ...settings.pins,
        tools: [...settings.pins.tools, ...factTools(config)],
        also: options.keep ?? [],
      },
      auto: settings.compaction.auto,
      tuned: (overrides) =>
        tunedBy(overrides, {
          settings,
          policy: inForce(policy),
          policyOf: (changed) => inForce(this.#parts.policyOf({ ...config, settings: changed })),
          filler,
          hasCompactor: plugins.compactor !== undefined,
        }),
      continues: settings.compaction.continue,
      // Plugins are asked when a compaction is due, and by then it would be made.
      prepareAt: asksPlugins(plugins, policy) ? null : settings.fill.prepareAt,
      waitsForText: settings.fill.wait,
      ahead: {
        background: this.#background,
        canShare: options.summaryLines === undefined,
        waitMs: settings.fill.deadlineMs,
      },
      injectionReserve: settings.reserve.injection,
      audit: new AuditTrail(effects.clock),
      stream,
      onStoreFailure: options.onStoreFailure ?? this.#parts.onStoreFailure ?? 'closed',
      priceOf,
      ...intake,
      measureDraft: createMeasure(drafts),
      count: drafts.count,
      redact,
      gauge,
      follower,
      serialise: (view) => follower.serialise(view),
      copyInstance: follower.copyInstance,
      costs,
      summarizer,
      plugins,
      ...(filler && { filler }),
      ...effects,
    };
  }
}
