import { z } from 'zod/v4';
import { count, flag, MAX_MS, oneOf, orEmpty, positive, section } from './fields.js';

/** The pressure at which a stage opens; at 0 it would always be open. */
export const gate = (stage: string) =>
  z.number().gt(0).max(1).describe(`Pressure at which ${stage} opens, 0 to 1.`);

/** The nine fields of the staged pipeline; gates must not fall from stage to stage. */
export const CompactionThresholds = z.strictObject({
  snipThreshold: gate('snip').default(0.8),
  microThreshold: gate('micro').default(0.84),
  collapseThreshold: gate('collapse').default(0.88),
  autoThreshold: gate('auto').default(0.92),
  partialThreshold: gate('partial').default(0.95),
  fullThreshold: gate('full').default(0.98),
  retainCount: count.default(10).describe('Most messages that partial keeps (whole exchanges).'),
  circuitBreakerFailures: positive.default(3).describe('Consecutive failures that open the breaker.'),
  circuitBreakerCooldown: count
    .max(MAX_MS)
    .default(60_000)
    .describe('Milliseconds from when the breaker opens to its one trial call.'),
});
export type CompactionThresholds = z.infer<typeof CompactionThresholds>;

/** The gate of a stage in the thresholds; undefined if these have no such stage. */
export function thresholdOf(thresholds: CompactionThresholds, stage: string): number | undefined {
  const gates: Readonly<Record<string, number>> = thresholds;
  const name = `${stage}Threshold`;
  return Object.hasOwn(gates, name) ? gates[name] : undefined;
}

/** The names of the actions that a compaction may take. */
const STRATEGIES = ['prune', 'drop', 'summarize', 'delegate', 'checkpoint'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const StrategyNames = z.union([z.enum(STRATEGIES), z.array(z.enum(STRATEGIES)).min(1)]);

/** The settings for what a compaction may do; `compactors` are the plugins' compactors. */
export const compactionFields = (compactors: readonly string[]) =>
  section(
    'What a compaction may do, whether pressure alone may start one, and who summarises: the own prompt, a named agent, the default, or no one.',
    {
      strategy: orEmpty(StrategyNames).describe(
        'What a compaction may do, one name or a list. prune: remove and condense. drop: remove the oldest, down to the target. summarize. delegate: ask a compactor plugin. checkpoint: wait for an operator. Empty: all that the roster does.',
      ),
      summarizeFirst: flag(true).describe(
        'With drop: the summary stages of the roster run first. If a summary fails, its messages are dropped.',
      ),
      compactor: orEmpty(compactors.length > 0 ? z.enum(compactors) : z.string().min(1)).describe(
        'Name of the plugin that makes compactions with delegate. Empty: the only one that is loaded. If several are loaded, a name is required.',
      ),
      auto: flag(true).describe('Compact when pressure reaches a gate. Off: only on request.'),
      approval: oneOf(['off', 'ask'], 'off').describe(
        'ask: a compaction that pressure starts waits for an operator, who approves, edits or rejects the plan. Calls pause until then.',
      ),
      continue: oneOf(['off', 'ask', 'on'], 'off').describe(
        'After an automatic compaction. off: nothing more. ask: the host is asked. on: the agent is told to continue.',
      ),
      prompt: orEmpty(z.string()).describe(
        'Prompt by which the model of the session writes its own summaries: a name in the folder of prompts, or a path. Takes precedence over `agent`.',
      ),
      agent: orEmpty(z.string()).describe('One of summarizerAgents, instead of `summarizer`.'),
    },
  );

const ms = (description: string) => z.int().min(1).max(3_600_000).describe(description);

export const PluginLimits = section('How long Spillway waits for plugins.', {
  loadMs: ms('Milliseconds that a plugin may take to load, and the same again to open.').default(10_000),
  preCompactMs: ms('Milliseconds that the hook before a compaction may take.').default(5_000),
  postCompactMs: ms('Milliseconds that the hook after a compaction may take.').default(5_000),
  compactMs: ms(
    'Milliseconds that a compactor may take. After that the oldest messages are dropped instead.',
  ).default(60_000),
});
