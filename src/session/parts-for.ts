import {
  asksForText,
  chooseSummarizer,
  configOf,
  type AgentConfig,
  type EffectiveConfig,
  type Settings,
} from '../config/index.js';
import type { Redact } from '../facts/index.js';
import { reasoningRuleFor, withAbsoluteTrigger, withSharesOfWindow, type Policy } from '../pipeline/index.js';
import type { PluginHost } from '../plugins/index.js';
import type { CompactionStage, SessionStore, SummaryLines, TokenCounter, WireFormat } from '../spi/index.js';
import type { Filler, OpenFiller } from '../summarizers/index.js';
import { createMeasure, measureTools, memoised, type Catalogue, type PriceOf } from '../tokens/index.js';
import type { SummarizerChoice } from '../transcript/index.js';
import { formatNamed, withTurns } from '../wire/index.js';
import type { Background } from './ahead/background.js';
import { AuditTrail } from './audit.js';
import { Follower } from './client/follow.js';
import { CostBook, type ProjectCosts } from './costs.js';
import type { EngineEvents } from './engine-events.js';
import { Gauge } from './gauge.js';
import { asksPlugins, sessionPlugins } from './hooks/session-plugins.js';
import { logIntake } from './log-intake.js';
import { factTools } from './pins.js';
import { tunedBy } from './run-overrides.js';
import type { SessionOptions } from './session-options.js';
import type { SessionParts } from './session-parts.js';

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

/** What the sessions of one engine share. */
export interface EngineCore {
  readonly parts: SpillwayParts;
  readonly redact: ReadonlyMap<AgentConfig, Redact>;
  readonly costs: ProjectCosts;
  readonly background: Background;
  readonly events: EngineEvents;
  /** For a session that was given no name. */
  readonly newId: () => string;
}

/** Everything a session of these options needs and does not make itself. */
export function partsFor(engine: EngineCore, options: SessionOptions): SessionParts {
  const { parts } = engine;
  const { catalogue, counter, effects, priceOf } = parts;
  const agentPath = options.agentPath ?? 'primary';
  const config = configOf(parts.config, agentPath);
  const { settings } = config;
  const { compaction, fill, pins } = settings;
  const named = formatNamed(options.format ?? parts.format, parts.plugins.formats);
  const format = withTurns(named, settings.turns);
  const policy = config === parts.config ? parts.policy : parts.policyOf(config);
  const plugins = sessionPlugins(parts.plugins, config, options.instructions);
  const memo = memoised(counter);
  const tools = measureTools(counter, options.tools ?? []);
  const gauge = new Gauge({ settings, catalogue, counter, tools, model: options.model });
  const inForce = policiesInForce({ settings, gauge, format });
  const redact = engine.redact.get(config)!;
  const intake = logIntake(settings.redactLog, { redact, format, counter });
  const follower = new Follower(format, { ...intake, measureTools: (tools) => measureTools(counter, tools) });
  const costs = new CostBook(priceOf, engine.costs);
  const summarizer = chooseSummarizer(settings, parts.summarizerInCode);
  const filler = fillerFor(engine, options, { config, summarizer, gauge, costs });
  const id = options.id ?? engine.newId();
  const stream = engine.events.streamOf(() => ({ sessionId: id, agentPath, model: gauge.model }));
  if (filler) filler.onBreaker = (stage, state) => stream.emit({ kind: 'breaker', stage, state });
  return {
    id,
    agentPath,
    format: format.name,
    provider: format.provider ?? {},
    get policy() {
      return inForce(policy);
    },
    pins: { ...pins, tools: [...pins.tools, ...factTools(config)], also: options.keep ?? [] },
    auto: compaction.auto,
    tuned: (overrides) =>
      tunedBy(overrides, {
        settings,
        policy: inForce(policy),
        policyOf: (changed) => inForce(parts.policyOf({ ...config, settings: changed })),
        filler,
        hasCompactor: plugins.compactor !== undefined,
      }),
    continues: compaction.continue,
    // Plugins are asked when a compaction is due, and by then it would be made.
    prepareAt: asksPlugins(plugins, policy) ? null : fill.prepareAt,
    waitsForText: fill.wait,
    ahead: {
      background: engine.background,
      canShare: options.summaryLines === undefined,
      waitMs: fill.deadlineMs,
    },
    injectionReserve: settings.reserve.injection,
    audit: new AuditTrail(effects.clock),
    stream,
    onStoreFailure: options.onStoreFailure ?? parts.onStoreFailure ?? 'closed',
    priceOf,
    ...intake,
    measureDraft: createMeasure(memo),
    count: memo.count,
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

/** Who writes the text of a session's compactions; undefined where nobody is configured to. */
function fillerFor(
  { parts, costs: ofAll }: EngineCore,
  options: SessionOptions,
  {
    config,
    summarizer,
    gauge,
    costs,
  }: {
    readonly config: AgentConfig;
    readonly summarizer: SummarizerChoice;
    readonly gauge: Gauge;
    readonly costs: CostBook;
  },
): Filler | undefined {
  if (!asksForText(summarizer)) return undefined;
  const { counter, effects, openFillerOf, summaryLines } = parts;
  const { fill } = config.settings;
  return openFillerOf(config)?.({
    choice: summarizer,
    sessionModel: gauge.model,
    lines: options.summaryLines ?? summaryLines,
    // Not the memo: whole sources would push the drafts out of it.
    count: (text) => counter.count(text),
    timer: effects.timer,
    stopped: () => costs.stopped(fill) ?? ofAll.stopped(fill),
  });
}

interface InForce {
  readonly settings: Pick<Settings, 'sharesOf' | 'reasoning'>;
  readonly gauge: Pick<Gauge, 'budget' | 'model'>;
  readonly format: WireFormat;
}

/** Says of a policy how the budget and the model of now have it. Asked several times a call, it makes it anew as these change. */
function policiesInForce(rules: InForce): (policy: Policy) => Policy {
  const { gauge } = rules;
  let known: { readonly of: readonly unknown[]; readonly inForce: Policy } | undefined;
  return (policy) => {
    const of = [policy, gauge.budget, gauge.model];
    if (!known?.of.every((one, i) => one === of[i])) known = { of, inForce: policyInForce(policy, rules) };
    return known.inForce;
  };
}

function policyInForce(policy: Policy, { settings, gauge, format }: InForce): Policy {
  const { budget, model } = gauge;
  const shared = settings.sharesOf === 'budget' ? policy : withSharesOfWindow(policy, budget);
  return {
    ...withAbsoluteTrigger(shared, budget.tokens),
    reasoning: reasoningRuleFor(format, model, settings.reasoning.signed),
  };
}
