import { StrategyNames, type Settings, type Strategy } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import type { Policy } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { Trigger } from '../transcript/index.js';

/** What one compaction does otherwise than the settings say; nothing of it outlives the run. */
export interface RunOverrides {
  /** One name or several: prune, drop, summarize, checkpoint; delegate where a compactor is loaded. */
  readonly strategy?: Strategy | readonly Strategy[];
  /** Pressure below which nothing is done. Absent: whatever the pressure. */
  readonly threshold?: number;
  /** Pressure to come down to. */
  readonly target?: number;
  /** Prompt of its summaries: a name in the folder of prompts, or a path. */
  readonly prompt?: string;
  /** False: nobody is asked for a summary, and none is drawn. */
  readonly summarize?: boolean;
}

/** Policy and summarizer of one run. */
export interface Tuned {
  readonly policy: Policy;
  readonly filler: Filler | undefined;
}

interface Tuning extends Tuned {
  readonly settings: Settings;
  readonly policyOf: (settings: Settings) => Policy;
  /** Whether a plugin is loaded that delegate could ask. */
  readonly hasCompactor: boolean;
}

/** Throws `CONFIG_INVALID` where a value is none that a setting of its kind could have. */
export function tunedBy(overrides: RunOverrides, tuning: Tuning): Tuned {
  const { settings, policyOf, policy, filler } = tuning;
  checkShares(overrides);
  const { strategy, prompt, summarize } = overrides;
  if (strategy === undefined && summarize !== false)
    return { policy, filler: prompt === undefined ? filler : withPrompt(filler, prompt) };
  const { compaction } = settings;
  const changed: Settings = {
    ...settings,
    ...(summarize === false && { summarizer: 'none' }),
    compaction: {
      ...compaction,
      ...(strategy !== undefined && { strategy: checkedStrategy(strategy, tuning) }),
      ...(summarize === false && { prompt: null, agent: null }),
    },
  };
  const asked = summarize === false ? undefined : filler;
  return {
    policy: policyOf(changed),
    filler: prompt === undefined ? asked : withPrompt(asked, prompt),
  };
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

function checkedStrategy(
  strategy: NonNullable<RunOverrides['strategy']>,
  { hasCompactor }: Pick<Tuning, 'hasCompactor'>,
): Strategy[] {
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
