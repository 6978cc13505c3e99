import {
  asksForText,
  chooseSummarizer,
  configOf,
  type AgentConfig,
  type EffectiveConfig,
  type Settings,
} from '../config/index.js';
import type { Redact } from '../text/facts/index.js';
import type { Policy } from '../pipeline/index.js';
import type { PluginHost } from './plugins/index.js';
import type { SummaryLines, TokenCounter, WireFormat } from '../spi/index.js';
import type { OpenFiller } from '../summarizers/index.js';
import { createMeasure, measureTools, memoised, type Catalogue } from '../tokens/index.js';
import { offersRecall } from '../transcript/index.js';
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
import { SessionOperator } from './operator/session-operator.js';
import { Persistence } from './persistence/persistence.js';
import type { OpenedThread } from './persistence/stored-thread.js';
import { factTools } from './pins.js';
import { Planner } from './planner.js';
import { Policies, type Summarizing } from './policies.js';
import { Reaction } from './reaction.js';
import { AutomaticRecall, Recall, Search } from './recall/index.js';
import { Requests } from './requests.js';
import { RunEnds } from './run-ends.js';
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
  readonly background: Background;
  readonly events: EngineEvents;
  /** For a session that was given no name. */
  readonly newId: () => string;
}

/** Everything that one session is made of, by name. */
interface Pieces extends SessionServices {
  /** What all sessions of the engine share. */
  readonly engine: EngineCore;
  readonly agent: AgentConfig;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  /** The same; the texts of drafts come again in run after run. */
  readonly memo: TokenCounter;
  /** Where it is kept, as it was read; undefined where it lives as long as the process. */
  readonly opened: OpenedThread | undefined;
  readonly inbox: Inbox;
  readonly persistence: Persistence;
  readonly requests: Requests;
  readonly hooks: PluginHooks;
  readonly planner: Planner;
  readonly commits: Commits;
  readonly triggers: Triggers;
  readonly early: EarlyFill;
  readonly ends: RunEnds;
  readonly compaction: Compaction;
  readonly line: CallLine;
  readonly runs: Runs;
  readonly history: History;
  readonly search: Search;
  readonly plans: Plans;
  readonly recall: Recall;
  readonly giveBack: GiveBack;
  readonly loopEnd: LoopEnd;
  readonly automatic: AutomaticRecall;
  readonly reaction: Reaction;
  readonly client: ClientSide;
  readonly reports: UsageReports;
  readonly operator: SessionOperator;
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

type Given = 'engine' | 'options' | 'opened' | keyof typeof SHARED;

/** What makes each of them. A part is made when another one asks for it, of no more than its constructor names. */
const MAKES: { readonly [Name in Exclude<keyof Pieces, Given>]: (of: Pieces) => Pieces[Name] } = {
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
  gauge: ({ settings, catalogue, counter, options: { tools = [], model } }) =>
    new Gauge({
      settings,
      catalogue,
      counter,
      model,
      tools: measureTools(counter, tools),
      recall: offersRecall(tools),
    }),
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
  costs: ({ engine, priceOf }) => new CostBook(priceOf, engine.costs),
  summarizer: summarizing,
  policies: (of) => {
    const { config, policy, policyOf } = of.engine;
    const own = (settings: Settings): Policy => policyOf({ ...of.agent, settings });
    return new Policies(of, own, of.agent === config ? policy : policyOf(of.agent));
  },
  thread: ({ rules, stream, opened }) => {
    stream.left(opened?.contents.spent);
    return new Thread(rules, opened?.contents);
  },
  inbox: (of) => new Inbox(of),
  persistence: (of) => new Persistence(of),
  requests: (of) => new Requests(of),
  hooks: (of) => new PluginHooks(of),
  planner: (of) => new Planner(of),
  commits: (of) => new Commits(of),
  triggers: (of) => new Triggers(of),
  early: (of) => new EarlyFill(of),
  ends: (of) => new RunEnds(of),
  compaction: (of) => new Compaction(of),
  line: () => new CallLine(),
  runs: (of) => new Runs(of),
  history: (of) => new History(of),
  search: (of) => new Search(of),
  plans: (of) => new Plans(of),
  recall: (of) => new Recall(of),
  giveBack: (of) => new GiveBack(of),
  loopEnd: (of) => new LoopEnd(of),
  automatic: (of) => new AutomaticRecall(of),
  reaction: (of) => new Reaction(of),
  client: (of) => new ClientSide(of),
  reports: (of) => new UsageReports(of),
  operator: (of) => new SessionOperator(of),
};

/** Who writes the text of a session's compactions. */
function summarizing({ engine, agent, options, gauge, counter, costs, stream, timer }: Pieces): Summarizing {
  const { fill } = agent.settings;
  const choice = chooseSummarizer(agent.settings, engine.summarizerInCode);
  const open = asksForText(choice) ? engine.openFillerOf(agent) : undefined;
  const filler = open?.({
    choice,
    sessionModel: gauge.model,
    lines: options.summaryLines ?? engine.summaryLines,
    // Not the memo: whole sources would push the drafts out of it.
    count: (text) => counter.count(text),
    timer,
    stopped: () => costs.stopped(fill) ?? engine.costs.stopped(fill),
  });
  if (filler) filler.onBreaker = (stage, state) => stream.emit({ kind: 'breaker', stage, state });
  return { choice, filler };
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
  const pieces = Object.create(MADE_WHEN_ASKED) as Pieces;
  const give = (name: keyof Pieces, value: unknown): void =>
    void Object.defineProperty(pieces, name, { value });
  give('engine', engine);
  give('options', options);
  for (const [name, service] of Object.entries(SHARED))
    give(name as keyof typeof SHARED, scope.shared(serviceOf(service)));
  const makes = Object.entries(OWN).map(
    ([name, service]) => [serviceOf(service), () => MAKES[name as keyof typeof OWN](pieces)] as const,
  );
  const own = scope.own(options, new Map(makes));
  for (const [name, service] of Object.entries(OWN))
    Object.defineProperty(pieces, name, {
      configurable: true,
      get: () => known(pieces, name, () => own(serviceOf(service))),
    });
  return { pieces, opened: (opened) => give('opened', opened) };
}

const MADE_WHEN_ASKED: object = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(MAKES).map(([name, make]) => [
      name,
      {
        get(this: Pieces) {
          return known(this, name, () => make(this));
        },
      },
    ]),
  ),
);

function known(pieces: Pieces, name: string, make: () => unknown): unknown {
  const value = make();
  Object.defineProperty(pieces, name, { value });
  return value;
}
