import { strategyPlan, thresholdOf, type Settings } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';
import type { CompactionStage } from '../spi/index.js';
import type { Budget } from '../tokens/index.js';
import type { Gate } from '../pressure/index.js';
import { type OpenableStage, type Pass, type Policy, STEP_NAMES, PIPELINE_STEPS } from './policy.js';

/** Puts the provided stages into the configured order, with their gates. */
export function buildPolicy(
  settings: Settings,
  provided: readonly CompactionStage[],
  optionsOf: Readonly<Record<string, unknown>>,
): Policy {
  const byName = indexStages(provided);
  const { roster, opensAt: firstGate, ...strategies } = strategyPlan(settings);
  const stages = roster.map((entry): OpenableStage => {
    const name = typeof entry === 'string' ? entry : entry.stage;
    const plugin = byName.get(name);
    if (!plugin) {
      throw new SpillwayError('STAGE_UNKNOWN', {
        subject: 'roster',
        found: name,
        allowed: [...byName.keys()].join(', '),
        remedy: 'Name a stage that is provided, or provide one of that name.',
      });
    }
    const opensAt = typeof entry === 'string' ? thresholdOf(settings.thresholds, name) : entry.opensAt;
    if (opensAt === undefined) {
      throw new SpillwayError('CONFIG_INVALID', {
        subject: `roster: ${name}`,
        found: 'no gate',
        allowed: '{stage, opensAt}',
        remedy: `Write {stage: ${name}, opensAt: 0.86} so that the pipeline knows when it opens.`,
      });
    }
    return { stage: name, opensAt, plugin, options: optionsOf[name] };
  });
  const gates: readonly Gate[] =
    stages.length > 0
      ? stages
      : [{ stage: strategies.delegates ? PIPELINE_STEPS.delegate : PIPELINE_STEPS.drop, opensAt: firstGate }];
  return {
    stages,
    gates,
    ...strategies,
    maxSummaryTokens: summaryLimits(stages),
    target: settings.target,
    escalation: settings.escalation,
    minGain: settings.minGain ?? Math.min(MAX_MIN_GAIN, GAIN_PART * roomOf(gates, settings.target)),
    reach: settings.minGain === null ? settings.target + (1 - GAIN_PART) * roomOf(gates, settings.target) : 1,
    shares: {
      pins: settings.pins.share,
      summary: settings.summary.share,
      unseen: settings.unseen.share,
    },
    passes: passesOf(settings, stages, byName, optionsOf),
    maxTokens: settings.trigger.maxTokens,
  };
}

/** The stages' options `maxSummaryTokens`, by stage. */
function summaryLimits(stages: readonly OpenableStage[]): Readonly<Record<string, number>> {
  const limits = stages.flatMap(({ stage, options }) => {
    const { maxSummaryTokens } = (options ?? {}) as { readonly maxSummaryTokens?: unknown };
    return typeof maxSummaryTokens === 'number' ? [[stage, maxSummaryTokens] as const] : [];
  });
  return Object.fromEntries(limits);
}

/** Share of the room to the target that a run must gain if the settings name no gain. */
const GAIN_PART = 0.75;
/** Largest minimum gain: a target far below the gate must not reject good runs. */
const MAX_MIN_GAIN = 0.15;

/** The distance between the first gate and the target. */
function roomOf(gates: readonly Gate[], target: number): number {
  return Math.max(0, (gates[0]?.opensAt ?? 1) - target);
}

/**
 * An absolute trigger moves the first gate to that many tokens, and the other gates and the target in proportion, so
 * that their ratios stay. Without one the policy is returned unchanged.
 */
export function withAbsoluteTrigger(policy: Policy, budgetTokens: number): Policy {
  const first = policy.gates[0];
  if (policy.maxTokens === 0 || !first || !Number.isFinite(budgetTokens)) return policy;
  return scaled(policy, policy.maxTokens / (first.opensAt * budgetTokens));
}

/** Converts gates that are shares of the window to shares of the budget. */
export function withSharesOfWindow(policy: Policy, { tokens, usable, reserve }: Budget): Policy {
  if (!Number.isFinite(tokens)) return policy;
  const factor = (usable + reserve.output) / tokens;
  const passes = policy.passes.map((pass): Pass => {
    const { when } = pass;
    if (typeof when === 'string') return pass;
    return { ...pass, when: { ...when, pressure: Math.min(1, when.pressure * factor) } };
  });
  return { ...scaled(policy, factor), passes };
}

/** The policy with its gates, target and gains multiplied; no gate above 1, and the target in proportion. */
function scaled(policy: Policy, wanted: number): Policy {
  const factor = Math.min(wanted, 1 / (policy.gates[0]?.opensAt ?? 1));
  const moved = <G extends Gate>(gate: G): G => ({ ...gate, opensAt: Math.min(1, gate.opensAt * wanted) });
  return {
    ...policy,
    target: Math.min(1, policy.target * factor),
    minGain: policy.minGain * Math.min(1, factor),
    reach: Math.min(1, policy.reach * factor),
    stages: policy.stages.map(moved),
    gates: policy.gates.map(moved),
  };
}

/** For each kind of pass the first stage that supports it: of the roster, otherwise of all provided stages. */
function passesOf(
  { prune, trim }: Settings,
  roster: readonly OpenableStage[],
  byName: ReadonlyMap<string, CompactionStage>,
  optionsOf: Readonly<Record<string, unknown>>,
): Pass[] {
  const provided = [...byName].map(([stage, plugin]) => ({ stage, plugin, options: optionsOf[stage] }));
  const stageFor = (kind: Pass['kind']): OpenableStage[] => {
    for (const { stage, plugin, options: usual } of [...roster, ...provided]) {
      const options = plugin.asPass?.(kind, usual);
      if (options !== undefined) return [{ stage, opensAt: 0, plugin, options }];
    }
    return [];
  };
  const passes = (kind: Pass['kind'], detail: string, when: Pass['when']): Pass[] =>
    stageFor(kind).map((stage) => ({ kind, detail, stage, when }));
  const trimsAt = { pressure: trim.threshold ?? Infinity, maxTokens: trim.maxTokens };
  const trims = trim.threshold !== null || trim.maxTokens > 0;
  return [
    ...(trims ? passes('trim', 'duplicate synthetic messages', trimsAt) : []),
    ...(prune === 'off' ? [] : passes('prune', `prune: ${prune}`, prune)),
  ];
}

/** Throws `STAGE_DUPLICATE` if two stages, or a stage and a step, have the same name: the name would be ambiguous. */
export function indexStages(provided: readonly CompactionStage[]): Map<string, CompactionStage> {
  const byName = new Map<string, CompactionStage>();
  for (const stage of provided) {
    if (STEP_NAMES.includes(stage.name)) {
      throw new SpillwayError('STAGE_DUPLICATE', {
        subject: 'stage name',
        found: stage.name,
        allowed: `any but ${STEP_NAMES.join(', ')}`,
        remedy: "Give your stage another name: a step of the pipeline's own is called so.",
      });
    }
    if (byName.has(stage.name)) {
      throw new SpillwayError('STAGE_DUPLICATE', {
        subject: 'stage name',
        found: stage.name,
        remedy: 'Give your stage its own name, and put that name into `roster` in place of the other stage.',
      });
    }
    byName.set(stage.name, stage);
  }
  return byName;
}
