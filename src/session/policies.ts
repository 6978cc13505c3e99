import { StrategyNames, type Overrides, type Settings, type Strategy } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import { reasoningRuleFor, withAbsoluteTrigger, withSharesOfWindow, type Policy } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { Budget } from '../tokens/index.js';
import type { SummarizerChoice, Trigger } from '../transcript/index.js';
import type { Pieces } from './wiring.js';

/** What one compaction does otherwise than the settings say; nothing of it outlives the run. */
export interface RunOverrides {
  /** One name or several: prune, drop, summarize, checkpoint; delegate where a compactor is loaded. */
  readonly strategy?: Strategy | readonly Strategy[];
  /** Pressure below which nothing is done, and at which the first stage opens. Absent: whatever the pressure. */
  readonly threshold?: number;
  /** Pressure to come down to. */
  readonly target?: number;
  /** Prompt of its summaries: a name in the folder of prompts, or a path. */
  readonly prompt?: string;
  /** False: nobody is asked for a summary, and none is drawn. */
  readonly summarize?: boolean;
  /** Any other settings, as a session has them; what these options say wins over them. */
  readonly settings?: Overrides;
}

/** Policy and summarizer of one run. */
export interface Tuned {
  readonly policy: Policy;
  readonly filler: Filler | undefined;
  /** Absent: that of the session. */
  readonly budget?: Budget;
}

/** Who writes the text of a session's compactions. */
export interface Summarizing {
  readonly choice: SummarizerChoice;
  /** Buys text for plans; absent where nobody is configured to. */
  readonly filler?: Filler | undefined;
}

/** How the runs of a session go: by its settings, as the budget and the model of now have it. */
export class Policies {
  #known: { readonly of: readonly unknown[]; readonly inForce: Policy } | undefined;

  /** `plain`: the roster as the session's settings have it, whatever the budget. */
  constructor(
    private readonly of: Pick<
      Pieces,
      'agent' | 'engine' | 'format' | 'gauge' | 'plugins' | 'summarizer' | 'summarizerBy'
    >,
    private readonly plain: Policy,
  ) {}

  /** Asked several times a call, it is made anew as budget and model change. */
  get now(): Policy {
    const { budget, model } = this.of.gauge;
    const of = [budget, model];
    if (!this.#known?.of.every((one, i) => one === of[i]))
      this.#known = { of, inForce: this.#inForce(this.plain, this.of.agent.settings, budget) };
    return this.#known.inForce;
  }

  /** Of a run that is to go otherwise than the settings say. Rejects with `CONFIG_INVALID` where a value is none of its setting. */
  async tuned(overrides: RunOverrides): Promise<Tuned> {
    const { gauge, summarizer, summarizerBy } = this.of;
    checkShares(overrides);
    const { prompt, summarize, settings: others } = overrides;
    const agent = others === undefined ? this.of.agent : this.of.agent.tuned(others);
    const writer = others === undefined ? summarizer : await summarizerBy(agent);
    const asked = summarize === false ? undefined : writer.filler;
    const filler = prompt === undefined ? asked : withPrompt(asked, prompt);
    const settings = this.#settingsBy(overrides, agent.settings);
    if (settings === this.of.agent.settings) return { policy: this.now, filler };
    const budget = gauge.budgetUnder(settings);
    const plain = this.of.engine.policyOf({ ...agent, settings });
    return { policy: this.#inForce(plain, settings, budget), filler, budget };
  }

  #settingsBy({ strategy, summarize, threshold }: RunOverrides, settings: Settings): Settings {
    if (strategy === undefined && summarize !== false && threshold === undefined) return settings;
    const { plugins } = this.of;
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

  #inForce(policy: Policy, { sharesOf, reasoning }: Settings, budget: Budget): Policy {
    const { gauge, format } = this.of;
    const shared = sharesOf === 'budget' ? policy : withSharesOfWindow(policy, budget);
    return {
      ...withAbsoluteTrigger(shared, budget.tokens),
      reasoning: reasoningRuleFor(format, gauge.model, reasoning.signed),
    };
  }
}

/** The gates in force, the first of them moved here, and none below it. */
function gatesFrom(first: number, thresholds: Settings['thresholds']): Settings['thresholds'] {
  const gates = Object.entries(thresholds).filter(([name]) => name.endsWith('Threshold'));
  const moved = gates.map(([name, gate]) => [name, name === 'snipThreshold' ? first : Math.max(first, gate)]);
  return { ...thresholds, ...(Object.fromEntries(moved) as object) };
}

/** How a run goes that somebody asked for. */
export function mannerOf(
  { strategy = [], target: asked, threshold }: RunOverrides,
  tuned: Tuned,
): Omit<RunManner, 'forced'> & { readonly trigger: Trigger } {
  const target = asked ?? tuned.policy.target;
  return {
    trigger: { kind: 'manual', detail: `asked for pressure ${target}` },
    target,
    tuned,
    ...(threshold !== undefined && { threshold }),
    // Who asks by hand has said yes, unless it is the waiting that is asked for.
    waits: [strategy].flat().includes('checkpoint'),
  };
}

function withPrompt(filler: Filler | undefined, prompt: string): Filler {
  if (filler) return filler.withPrompt(prompt);
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'prompt of a run',
    found: prompt,
    remedy: 'Configure a summarizer that could be asked by it, or leave the prompt out.',
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
      ? 'delegate needs a compactor plugin, and none is loaded.'
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

/** How a run goes, where it is not one that pressure started. */
export interface RunManner {
  /** Pressure to come down to. */
  readonly target: number;
  /** Gates do not matter. */
  readonly forced: boolean;
  /** Pressure below which nothing is done. */
  readonly threshold?: number;
  /** A provider has refused the request. */
  readonly refused?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Where this run alone goes otherwise than the settings say. */
  readonly tuned?: Tuned;
  /** It waits for an operator's yes. */
  readonly waits?: boolean;
}
