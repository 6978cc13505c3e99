import { chooseSummarizer, configOf, type AgentConfig, type EffectiveConfig } from '../config/index.js';
import type { Redact } from '../text/facts/index.js';
import type { Policy } from '../pipeline/index.js';
import type { PressureStream } from '../pressure/index.js';
import type { PluginHost } from './plugins/index.js';
import type { SummaryLines, TokenCounter, WireFormat } from '../spi/index.js';
import type { Breakers, BreakerState, OpenFiller } from '../summarizers/index.js';
import { createMeasure, measureTools, memoised, type Catalogue } from '../tokens/index.js';
import { formatNamed, withTurns } from '../formats/index.js';
import type { Background } from './ahead/background.js';
import { EarlyFill } from './ahead/early.js';
import { AuditTrail } from './audit.js';
import { CallLine } from './call-line.js';
import { ClientSide } from './client/client-side.js';
import { Follower } from './client/follow.js';
import { Commits } from './commits.js';
import { Compaction } from './compaction.js';
import { CostBook, type ProjectCosts } from './costs.js';
import type { EngineEvents } from './engine-events.js';
import { Gauge } from './gauge.js';
import { PluginHooks } from './hooks/plugin-hooks.js';
import { sessionPlugins } from './hooks/session-plugins.js';
import { Inbox } from './inbox.js';
import { logIntake } from './intake.js';
import { LoopEnd } from './loop-end.js';
import { GiveBack } from './operator/give-back.js';
import { History } from './operator/history.js';
import { Plans } from './operator/plans.js';
import { Persistence } from './persistence/persistence.js';
import type { OpenedThread } from './persistence/stored-thread.js';
import { factTools } from './pins.js';
import { Planner } from './planner.js';
import { Policies, type Summarizing } from './policies.js';
import { Reaction } from './reaction.js';
import { AutomaticRecall, Recall, Search } from './recall/index.js';
import { Requests } from './requests.js';
import { Runs } from './runs.js';
import type { Effects, SessionServices } from './services.js';
import type { SessionOptions } from './session-options.js';
import { Thread } from './thread.js';
import { Triggers } from './triggers.js';
import { UsageReports } from './usage-reports.js';

/** The parts of an engine that its sessions use. */
export interface EngineParts {
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  /** Returns the policy of an agent with its own settings. */
  readonly policyOf: (config: AgentConfig) => Policy;
  readonly effects: Effects;
  /** Wire format of sessions that do not name one. */
  readonly format: WireFormat;
  /** Default for sessions; `closed` if absent. */
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** Returns undefined if a configuration uses no summarizer. */
  readonly openFillerOf: (config: AgentConfig) => OpenFiller | undefined;
  /** Like `openFillerOf`, for the configuration of a single run. */
  readonly fillerFor: (config: AgentConfig) => Promise<OpenFiller | undefined>;
  /** Name of the summarizer that was passed in code. */
  readonly summarizerInCode?: string | undefined;
  /** The plugins whose hooks run around compactions. */
  readonly plugins: PluginHost;
  /** Lines for every request to a summarizer, in addition to the transcript. */
  readonly summaryLines?: SummaryLines | undefined;
}

/** The parts of an engine, and what its sessions share. */
export interface EngineCore extends EngineParts {
  readonly redact: ReadonlyMap<AgentConfig, Redact>;
  readonly costs: ProjectCosts;
  /** Breakers by thread. They outlive their session and a change of settings. */
  readonly breakers: Map<string, Breakers>;
  readonly background: Background;
  readonly events: EngineEvents;
  /** Creates the id of a session without one. */
  readonly newId: () => string;
}

/** Parts that receive all other pieces, and read them when they work. */
const PARTS = {
  inbox: Inbox,
  persistence: Persistence,
  requests: Requests,
  hooks: PluginHooks,
  planner: Planner,
  commits: Commits,
  triggers: Triggers,
  early: EarlyFill,
  compaction: Compaction,
  line: CallLine,
  runs: Runs,
  history: History,
  search: Search,
  plans: Plans,
  giveBack: GiveBack,
  loopEnd: LoopEnd,
  automatic: AutomaticRecall,
  reaction: Reaction,
  client: ClientSide,
  reports: UsageReports,
};

type Parts = { readonly [Name in keyof typeof PARTS]: InstanceType<(typeof PARTS)[Name]> };

/** All pieces of one session, by name. */
export interface Pieces extends SessionServices, Parts {
  /** The engine, which all its sessions share. */
  readonly engine: EngineCore;
  readonly agent: AgentConfig;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  /** The counter with a memo, because the texts of drafts recur in each run. */
  readonly memoCounter: TokenCounter;
  /** The stored thread as it was read; undefined if the session ends with the process. */
  readonly opened: OpenedThread | undefined;
  readonly recall: Recall;
  /** Returns the summarizer of a run with its own settings. */
  readonly summarizerFor: (agent: AgentConfig) => Promise<Summarizing>;
}

/** Services that all sessions of an engine share, with their names in the container. */
const SHARED = {
  pipeline: 'Pipeline',
  catalogue: 'Catalogue',
  counter: 'TokenCounter',
  priceOf: 'PriceOf',
} as const;

/** Services of each session that a host may bind, with their names in the container. */
const OWN = { gauge: 'Gauge', follower: 'Follower', recall: 'Recall' } as const;

const serviceOf = (name: string): symbol => Symbol.for(`spillway.${name}`);

type Makers<Name extends keyof Pieces> = { readonly [Each in Name]: (pieces: Pieces) => Pieces[Each] };

/** Creates the services of a session. */
const MAKERS: Makers<
  | 'agent'
  | 'memoCounter'
  | 'recall'
  | 'summarizerFor'
  | Exclude<keyof SessionServices, 'options' | 'pipeline' | 'priceOf'>
> = {
  key: ({ engine, options: { id, agentPath = 'primary' } }) => ({
    sessionId: id ?? engine.newId(),
    agentPath,
  }),
  agent: ({ engine, key }) => configOf(engine.config, key.agentPath),
  settings: ({ agent }) => agent.settings,
  clock: ({ engine }) => engine.effects.clock,
  timer: ({ engine }) => engine.effects.timer,
  background: ({ engine }) => engine.background,
  onStoreFailure: ({ engine, options }) => options.onStoreFailure ?? engine.onStoreFailure ?? 'closed',
  format: ({ engine, options, settings }) =>
    withTurns(formatNamed(options.format ?? engine.format, engine.plugins.formats), settings.turns),
  gauge: (pieces) => new Gauge(pieces),
  intake: ({ engine, agent, settings, format, counter }) =>
    logIntake(settings.redactLog, { redact: engine.redact.get(agent)!, format, counter }),
  rules: ({ agent, settings: { pins }, intake: { measure, redact }, options }) => ({
    pins: { ...pins, tools: [...pins.tools, ...factTools(agent)], also: options.keep ?? [] },
    measure,
    redact,
  }),
  memoCounter: ({ counter }) => memoised(counter),
  count: ({ memoCounter }) => memoCounter.count,
  measureDraft: ({ memoCounter }) => createMeasure(memoCounter),
  follower: ({ format, intake, counter }) =>
    new Follower(format, { ...intake, measureTools: (tools) => measureTools(counter, tools) }),
  plugins: ({ engine, agent, options }) => sessionPlugins(engine.plugins, agent, options.instructions),
  stream: ({ engine, key, gauge }) => engine.events.streamOf(() => ({ ...key, model: gauge.model })),
  audit: ({ clock }) => new AuditTrail(clock),
  costs: ({ engine, priceOf, stream }) =>
    new CostBook(priceOf, engine.costs, (call) => stream.emit({ kind: 'model-call', call })),
  summarizer: (pieces) => summarizing(pieces, pieces.agent, pieces.engine.openFillerOf(pieces.agent)),
  summarizerFor: (pieces) => async (agent) =>
    summarizing(pieces, agent, await pieces.engine.fillerFor(agent)),
  policies: (pieces) => {
    const { config, policy, policyOf } = pieces.engine;
    return new Policies(pieces, pieces.agent === config ? policy : policyOf(pieces.agent));
  },
  thread: ({ rules, stream, opened }) => {
    stream.recordSpent(opened?.contents.spent);
    return new Thread(rules, opened?.contents);
  },
  recall: (pieces) => new Recall(pieces),
};

/** The summarizer of a session's compactions according to these settings. */
function summarizing(
  { engine, key, options, gauge, counter, costs, stream, timer }: Pieces,
  { settings }: AgentConfig,
  open: OpenFiller | undefined,
): Summarizing {
  const { fill } = settings;
  const choice = chooseSummarizer(settings, engine.summarizerInCode);
  const filler = open?.({
    choice,
    thread: JSON.stringify([key.sessionId, key.agentPath]),
    breakers: engine.breakers,
    sessionModel: gauge.model,
    lines: options.summaryLines ?? engine.summaryLines,
    // Not the memo: whole sources would push the drafts out of it.
    count: (text) => counter.count(text),
    timer,
    stopReason: () => costs.stopReason(fill) ?? engine.costs.stopReason(fill),
  });
  if (filler) filler.onBreaker = breakerListener(stream);
  return { choice, filler };
}

/** Breakers outlive their session and must not keep it in memory: a separate function, which captures no more. */
function breakerListener(stream: PressureStream): (stage: string, state: BreakerState) => void {
  const weakStream = new WeakRef(stream);
  return (stage, state) => weakStream.deref()?.emit({ kind: 'breaker', stage, state });
}

/** The part of the engine's container that a session uses. */
interface Scope {
  shared(service: symbol): unknown;
  /** Opens a container for this session with the host's own services; `makes` creates the others. */
  open(options: SessionOptions, makes: ReadonlyMap<symbol, () => unknown>): (service: symbol) => unknown;
}

/** The pieces of one session while it is put together. */
export interface SessionScope {
  /** Each piece is created on first use. Pieces that use the thread need a call of `opened` before. */
  readonly pieces: Pieces;
  readonly opened: (opened: OpenedThread | undefined) => void;
}

/**
 * Creates the pieces of a session, each on first use.
 * @hidden
 */
export function sessionIn(scope: Scope, engine: EngineCore, options: SessionOptions): SessionScope {
  const pieces = {} as Pieces;
  const classes: { readonly [Name in keyof Parts]: new (pieces: Pieces) => Parts[Name] } = PARTS;
  for (const [name, Part] of Object.entries(classes)) define(pieces, name, () => new Part(pieces));
  for (const [name, make] of Object.entries(MAKERS)) define(pieces, name, () => make(pieces));
  for (const [name, service] of Object.entries(SHARED))
    define(pieces, name, () => scope.shared(serviceOf(service)));
  define(pieces, 'engine', () => engine);
  define(pieces, 'options', () => options);
  const ours = Object.entries(OWN) as [keyof typeof OWN, string][];
  const makes = new Map(ours.map(([name, service]) => [serviceOf(service), () => MAKERS[name](pieces)]));
  const own = scope.open(options, makes);
  for (const [name, service] of ours) define(pieces, name, () => own(serviceOf(service)));
  const opened = (thread: OpenedThread | undefined): void => {
    define(pieces, 'opened', () => thread);
    void pieces.thread; // if it cannot be rendered, opening fails
  };
  return { pieces, opened };
}

/** Defines a property that is created on first use. */
function define(pieces: Pieces, name: string, make: () => unknown): void {
  const get = (): unknown => {
    const value = make();
    Object.defineProperty(pieces, name, { value });
    return value;
  };
  Object.defineProperty(pieces, name, { configurable: true, get });
}
