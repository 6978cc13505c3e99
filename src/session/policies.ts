import { StrategyNames, type Overrides, type Settings, type Strategy } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { reasoningRuleFor, withAbsoluteTrigger, withSharesOfWindow, type Policy } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { Budget } from '../tokens/index.js';
import type { SummarizerChoice, Trigger } from '../transcript/index.js';
import type { Pieces } from './wiring.js';

/** Options of one compaction that differ from the settings. They hold for this run only. */
export interface RunOverrides {
  /** One name or several: prune, drop, summarize, checkpoint; delegate if a compactor is loaded. */
  readonly strategy?: Strategy | readonly Strategy[];
  /** Pressure below which nothing is done, and at which the first stage opens. Absent: the run ignores the pressure. */
  readonly threshold?: number;
  /** Pressure to reduce to. */
  readonly target?: number;
  /** Prompt of the summaries: a name in the folder of prompts, or a path. */
  readonly prompt?: string;
  /** False: no summary is made, neither by a model nor by extraction. */
  readonly summarize?: boolean;
  /** Any other settings of a session. The options above take precedence. */
  readonly settings?: Overrides;
}

/** Policy and summarizer of one run. */
export interface Tuning {
  readonly policy: Policy;
  readonly filler: Filler | undefined;
  /** Absent: the budget of the session. */
  readonly budget?: Budget;
}

/** The summarizer of a session's compactions. */
export interface Summarizing {
  readonly choice: SummarizerChoice;
  /** Requests text for plans; absent if no summarizer is configured. */
  readonly filler?: Filler | undefined;
}

/** Holds the policy of a session's runs, from its settings and its present budget and model. */
export class Policies {
  #known: { readonly inputs: readonly unknown[]; readonly policy: Policy } | undefined;

  /** `plain`: the policy according to the session's settings, before it is adapted to the budget. */
  constructor(
    private readonly pieces: Pick<
      Pieces,
      'agent' | 'engine' | 'format' | 'gauge' | 'plugins' | 'summarizer' | 'summarizerFor'
    >,
    private readonly plain: Policy,
  ) {}

  /** The policy in force. Read several times per call, so it is only made again when budget or model change. */
  get current(): Policy {
    const { budget, model } = this.pieces.gauge;
    const inputs = [budget, model];
    if (!this.#known?.inputs.every((one, i) => one === inputs[i]))
      this.#known = { inputs, policy: this.#adapted(this.plain, this.pieces.agent.settings, budget) };
    return this.#known.policy;
  }

  /** The policy of a run with overrides. Rejects with `CONFIG_INVALID` if a value is not valid for its setting. */
  async tune(overrides: RunOverrides): Promise<Tuning> {
    const { gauge, summarizer, summarizerFor } = this.pieces;
    checkShares(overrides);
    const { prompt, summarize, settings: others } = overrides;
    const agent = others === undefined ? this.pieces.agent : this.pieces.agent.tuned(others);
    const writer = others === undefined ? summarizer : await summarizerFor(agent);
    const asked = summarize === false ? undefined : writer.filler;
    const filler = prompt === undefined ? asked : withPrompt(asked, prompt);
    const settings = this.#settingsBy(overrides, agent.settings);
    if (settings === this.pieces.agent.settings) return { policy: this.current, filler };
    const budget = gauge.budgetUnder(settings);
    const plain = this.pieces.engine.policyOf({ ...agent, settings });
    return { policy: this.#adapted(plain, settings, budget), filler, budget };
  }

  #settingsBy({ strategy, summarize, threshold }: RunOverrides, settings: Settings): Settings {
    if (strategy === undefined && summarize !== false && threshold === undefined) return settings;
    const { plugins } = this.pieces;
    return {
      ...settings,
      ...(threshold !== undefined && { thresholds: gatesFrom(threshold, settings.thresholds) }),
      ...(summarize === false && { summarizer: 'none' }),
      compaction: {
        ...settings.compaction,
        ...(strategy !== undefined && {
          strategy: checkedStrategy(strategy, plugins.compactor !== undefined),
        }),
        ...(summarize === false && { prompt: null, agent: null }),
      },
    };
  }

  #adapted(policy: Policy, { sharesOf, reasoning }: Settings, budget: Budget): Policy {
    const { gauge, format } = this.pieces;
    const shared = sharesOf === 'budget' ? policy : withSharesOfWindow(policy, budget);
    return {
      ...withAbsoluteTrigger(shared, budget.tokens),
      reasoning: reasoningRuleFor(format, gauge.model, reasoning.signed),
    };
  }
}

/** The thresholds of the stages, with the first moved to `first` and no other below it. */
function gatesFrom(first: number, thresholds: Settings['thresholds']): Settings['thresholds'] {
  const gates = Object.entries(thresholds).filter(([name]) => name.endsWith('Threshold'));
  const moved = gates.map(([name, gate]) => [name, name === 'snipThreshold' ? first : Math.max(first, gate)]);
  return { ...thresholds, ...(Object.fromEntries(moved) as object) };
}

/** The manner of a manual run. */
export function manualRunOptions(
  { strategy = [], target: asked, threshold }: RunOverrides,
  tuned: Tuning,
): Omit<RunOptions, 'forced'> & { readonly trigger: Trigger } {
  const target = asked ?? tuned.policy.target;
  return {
    trigger: { kind: 'manual', detail: `asked for pressure ${target}` },
    target,
    tuning: tuned,
    ...(threshold !== undefined && { threshold }),
    // A manual run needs no approval, unless the caller chose the `checkpoint` strategy.
    waits: [strategy].flat().includes('checkpoint'),
  };
}

function withPrompt(filler: Filler | undefined, prompt: string): Filler {
  if (filler) return filler.withPrompt(prompt);
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'prompt of a run',
    found: prompt,
    remedy: 'Configure a summarizer that can use the prompt, or leave the prompt out.',
  });
}

function checkedStrategy(strategy: NonNullable<RunOverrides['strategy']>, hasCompactor: boolean): Strategy[] {
  const parsed = StrategyNames.safeParse(strategy);
  const names = parsed.success ? [parsed.data].flat() : [];
  if (parsed.success && (hasCompactor || !names.includes('delegate'))) return names;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'strategy of a run',
    found: strategy,
    allowed: `prune, drop, summarize, ${hasCompactor ? 'delegate, ' : ''}checkpoint, or a list of them`,
    remedy: names.includes('delegate')
      ? 'delegate needs a compactor plugin; no compactor is loaded.'
      : 'Name one of these.',
  });
}

function checkShares({ threshold, target }: RunOverrides): void {
  for (const [subject, found] of Object.entries({ threshold, target })) {
    if (found === undefined || (typeof found === 'number' && found >= 0 && found <= 1)) continue;
    throw new SpillwayError('CONFIG_INVALID', {
      subject: `${subject} of a run`,
      found,
      allowed: 'a pressure from 0 to 1',
      remedy: 'Give it as a share of the budget.',
    });
  }
}

/** How a run differs from one that pressure started. */
export interface RunOptions {
  /** Pressure to reduce to. */
  readonly target: number;
  /** The gates are ignored. */
  readonly forced: boolean;
  /** Pressure below which nothing is done. */
  readonly threshold?: number;
  /** The provider has refused the request. */
  readonly refused?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Policy, summarizer and budget of this run alone, if they differ from the settings. */
  readonly tuning?: Tuning;
  /** The plan waits for an operator's approval. */
  readonly waits?: boolean;
}
