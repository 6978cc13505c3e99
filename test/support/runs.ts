import { planRun } from '../../src/pipeline/index.js';
import type { OpenableStage, Policy, RunInput, RunOutcome } from '../../src/pipeline/index.js';
import type { CompactionStage, Proposal, StageGoal, TranscriptView } from '../../src/spi/index.js';
import { BUILT_IN_STAGES } from '../../src/stages/index.js';
import { readPressure, type Budget } from '../../src/tokens/index.js';
import { atOnce, type Projection } from '../../src/transcript/index.js';
import { z } from 'zod';
import { count, measure, type Bench } from './bench.js';

export const GATES = [0.8, 0.84, 0.88, 0.92, 0.95, 0.98];

export type Plan = (view: TranscriptView, goal: StageGoal) => unknown;

/** A stage for tests, which may return any value. */
export function stage(name: string, opensAt: number, plan: Plan): OpenableStage {
  const plugin: CompactionStage = {
    name,
    options: z.unknown(),
    summary: 'A stage of a test.',
    plan: (view, goal) => plan(view, goal) as Proposal,
  };
  return { stage: name, opensAt, plugin, options: undefined };
}

export const builtIns = (): OpenableStage[] =>
  BUILT_IN_STAGES.map((plugin, i) => ({
    stage: plugin.name,
    opensAt: GATES[i]!,
    plugin,
    options: plugin.options.parse({}),
  }));

export interface RunSettings {
  readonly budget: number;
  readonly caps?: Budget['caps'];
  readonly bytes?: number;
  readonly policy?: Partial<Policy>;
  readonly forced?: boolean;
  readonly toolsTokens?: number;
  readonly states?: ReadonlyMap<string, unknown>;
  readonly clock?: number;
}

export function budgetOf(tokens: number, caps: Budget['caps'] = {}, bytes?: number): Budget {
  return {
    tokens,
    caps,
    ...(bytes !== undefined && { bytes }),
    window: tokens,
    usable: tokens,
    reserve: { output: 0, injection: 0, safety: 0 },
    derivation: [],
    authoritative: true,
  };
}

export function policyOf(stages: readonly OpenableStage[], changes: Partial<Policy> = {}): Policy {
  return {
    stages,
    gates: stages,
    target: 0.6,
    escalation: 'gates',
    minGain: 0.05,
    reach: 1,
    shares: { pins: 0.4, summary: 0.2, unseen: 0.4 },
    passes: [],
    maxTokens: 0,
    ...changes,
  };
}

export function inputOf(bench: Bench, stages: readonly OpenableStage[], settings: RunSettings): RunInput {
  const { caps, bytes, toolsTokens = 0 } = settings;
  const budget = budgetOf(settings.budget, caps, bytes);
  let time = 0;
  const fixed = { tokens: toolsTokens, bytes: 0, images: 0 };
  return {
    source: bench.source,
    projection: bench.projection,
    base: 'genesis',
    trigger: { kind: 'pressure', detail: 'a test' },
    policy: policyOf(stages, settings.policy),
    forced: settings.forced ?? false,
    read: ({ size: view, resultTokens: toolResultTokens }: Projection) =>
      readPressure({ view, tools: fixed, toolResultTokens, budget }),
    fixed,
    measure,
    count,
    clock: settings.clock ?? 1_700_000_000_000,
    timer: () => time++,
    states: settings.states ?? new Map(),
  };
}

export function run(bench: Bench, stages: readonly OpenableStage[], settings: RunSettings): RunOutcome {
  return atOnce(planRun(inputOf(bench, stages, settings)));
}

/** Like `run`, for tests of a plan: any other outcome fails the test. */
export function plannedBy(
  bench: Bench,
  stages: readonly OpenableStage[],
  settings: RunSettings,
): Extract<RunOutcome, { kind: 'planned' }> {
  const outcome = run(bench, stages, settings);
  if (outcome.kind === 'planned') return outcome;
  throw new Error(`expected a plan, got ${outcome.kind === 'noop' ? outcome.reason : outcome.error.message}`);
}
