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

/** What an engine is given that its sessions use. */
export interface EngineParts {
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  /** The policy of an agent that has settings of its own. */
  readonly policyOf: (config: AgentConfig) => Policy;
  readonly effects: Effects;
  /** What sessions speak that name no format of their own. */
  readonly format: WireFormat;
  /** Of sessions that do not say; `closed` where absent. */
  readonly onStoreFailure?: 'open' | 'closed' | undefined;
  /** Undefined where a configuration asks no summarizer. */
  readonly openFillerOf: (config: AgentConfig) => OpenFiller | undefined;
  /** The same of one that a run has for itself. */
  readonly fillerFor: (config: AgentConfig) => Promise<OpenFiller | undefined>;
  /** Name of the summarizer that was handed in. */
  readonly summarizerInCode?: string | undefined;
  /** Whose hooks run around compactions. */
  readonly plugins: PluginHost;
  /** What every request of a summarizer is told beside the transcript. */
  readonly summaryLines?: SummaryLines | undefined;
}

/** The same, and what the sessions share. */
export interface EngineCore extends EngineParts {
  readonly redact: ReadonlyMap<AgentConfig, Redact>;
  readonly costs: ProjectCosts;
  /** By thread: they outlive a session that is let go, and a change of settings. */
  readonly breakers: Map<string, Breakers>;
  readonly background: Background;
  readonly events: EngineEvents;
  /** For a session that was given no name. */
  readonly newId: () => string;
}

/** Parts that are given all others, and ask for them when they work. */
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

/** Everything that one session is made of, by name. */
export interface Pieces extends SessionServices, Parts {
  /** What all sessions of the engine share. */
  readonly engine: EngineCore;
  readonly agent: AgentConfig;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  /** The same; the texts of drafts come again in run after run. */
  readonly memo: TokenCounter;
  /** Where it is kept, as it was read; undefined where it lives as long as the process. */
  readonly opened: OpenedThread | undefined;
  readonly recall: Recall;
  /** Who writes the text of a run that has settings of its own. */
  readonly summarizerBy: (agent: AgentConfig) => Promise<Summarizing>;
}

/** What all sessions of an engine share, under the names by which its container knows them. */
const SHARED = {
  pipeline: 'Pipeline',
  catalogue: 'Catalogue',
  counter: 'TokenCounter',
  priceOf: 'PriceOf',
} as const;

/** What a host may bind that each session has its own of. */
const OWN = { gauge: 'Gauge', follower: 'Follower', recall: 'Recall' } as const;

const serviceOf = (name: string): symbol => Symbol.for(`spillway.${name}`);

type Makers<Name extends keyof Pieces> = { readonly [Each in Name]: (of: Pieces) => Pieces[Each] };

/** What makes the services of a session. */
const MAKES: Makers<
  | 'agent'
  | 'memo'
  | 'recall'
  | 'summarizerBy'
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
  gauge: (of) => new Gauge(of),
  intake: ({ engine, agent, settings, format, counter }) =>
    logIntake(settings.redactLog, { redact: engine.redact.get(agent)!, format, counter }),
  rules: ({ agent, settings: { pins }, intake: { measure, redact }, options }) => ({
    pins: { ...pins, tools: [...pins.tools, ...factTools(agent)], also: options.keep ?? [] },
    measure,
    redact,
  }),
  memo: ({ counter }) => memoised(counter),
  count: ({ memo }) => memo.count,
  measureDraft: ({ memo }) => createMeasure(memo),
  follower: ({ format, intake, counter }) =>
    new Follower(format, { ...intake, measureTools: (tools) => measureTools(counter, tools) }),
  plugins: ({ engine, agent, options }) => sessionPlugins(engine.plugins, agent, options.instructions),
  stream: ({ engine, key, gauge }) => engine.events.streamOf(() => ({ ...key, model: gauge.model })),
  audit: ({ clock }) => new AuditTrail(clock),
  costs: ({ engine, priceOf, stream }) =>
    new CostBook(priceOf, engine.costs, (call) => stream.emit({ kind: 'model-call', call })),
  summarizer: (of) => summarizing(of, of.agent, of.engine.openFillerOf(of.agent)),
  summarizerBy: (of) => async (agent) => summarizing(of, agent, await of.engine.fillerFor(agent)),
  policies: (of) => {
    const { config, policy, policyOf } = of.engine;
    return new Policies(of, of.agent === config ? policy : policyOf(of.agent));
  },
  thread: ({ rules, stream, opened }) => {
    stream.left(opened?.contents.spent);
    return new Thread(rules, opened?.contents);
  },
  recall: (of) => new Recall(of),
};

/** Who writes the text of a session's compactions, by these settings. */
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
    stopped: () => costs.stopped(fill) ?? engine.costs.stopped(fill),
  });
  if (filler) filler.onBreaker = breakerTold(stream);
  return { choice, filler };
}

/** Breakers outlive the session that is told of them, and keep nothing of it: a function of its own, so that it holds no more than this. */
function breakerTold(stream: PressureStream): (stage: string, state: BreakerState) => void {
  const told = new WeakRef(stream);
  return (stage, state) => told.deref()?.emit({ kind: 'breaker', stage, state });
}

/** The engine's container, as far as a session asks it. */
interface Scope {
  shared(service: symbol): unknown;
  /** What the host has made for this session, in a container of its own; `makes` says what makes the rest. */
  own(options: SessionOptions, makes: ReadonlyMap<symbol, () => unknown>): (service: symbol) => unknown;
}

/** One session, as it is put together. */
export interface SessionScope {
  /** Each is made, once, when it is asked for; what works on the thread when `opened` was told where it is kept, if anywhere. */
  readonly pieces: Pieces;
  readonly opened: (opened: OpenedThread | undefined) => void;
}

/**
 * Has the parts of a session made.
 * @hidden
 */
export function sessionIn(scope: Scope, engine: EngineCore, options: SessionOptions): SessionScope {
  const pieces = {} as Pieces;
  const classes: { readonly [Name in keyof Parts]: new (of: Pieces) => Parts[Name] } = PARTS;
  for (const [name, Part] of Object.entries(classes)) define(pieces, name, () => new Part(pieces));
  for (const [name, make] of Object.entries(MAKES)) define(pieces, name, () => make(pieces));
  for (const [name, service] of Object.entries(SHARED))
    define(pieces, name, () => scope.shared(serviceOf(service)));
  define(pieces, 'engine', () => engine);
  define(pieces, 'options', () => options);
  const ours = Object.entries(OWN) as [keyof typeof OWN, string][];
  const makes = new Map(ours.map(([name, service]) => [serviceOf(service), () => MAKES[name](pieces)]));
  const own = scope.own(options, makes);
  for (const [name, service] of ours) define(pieces, name, () => own(serviceOf(service)));
  const opened = (thread: OpenedThread | undefined): void => {
    define(pieces, 'opened', () => thread);
    void pieces.thread; // what cannot be drawn is told when it is opened
  };
  return { pieces, opened };
}

/** A property that is made when it is first asked for. */
function define(pieces: Pieces, name: string, make: () => unknown): void {
  const get = (): unknown => {
    const value = make();
    Object.defineProperty(pieces, name, { value });
    return value;
  };
  Object.defineProperty(pieces, name, { configurable: true, get });
}
