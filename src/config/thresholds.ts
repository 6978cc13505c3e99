import { z } from 'zod/v4';
import { count, positive } from './fields.js';

/** The pressure at which a stage opens; 0 would be open always. */
export const gate = (stage: string) =>
  z.number().gt(0).max(1).describe(`Pressure at which ${stage} opens, 0 to 1.`);

/** The nine fields operators of the staged pipeline know; gates must not fall from stage to stage. */
export const CompactionThresholds = z.strictObject({
  snipThreshold: gate('snip').default(0.8),
  microThreshold: gate('micro').default(0.84),
  collapseThreshold: gate('collapse').default(0.88),
  autoThreshold: gate('auto').default(0.92),
  partialThreshold: gate('partial').default(0.95),
  fullThreshold: gate('full').default(0.98),
  retainCount: count
    .default(10)
    .describe('Messages that partial leaves standing, at most (whole exchanges).'),
  circuitBreakerFailures: positive.default(3).describe('Consecutive failures that open the breaker.'),
  circuitBreakerCooldown: count.default(60_000).describe('Milliseconds until the one trial call.'),
});
export type CompactionThresholds = z.infer<typeof CompactionThresholds>;

/** The gate that thresholds name for a stage; undefined for a stage that they do not know. */
export function thresholdOf(thresholds: CompactionThresholds, stage: string): number | undefined {
  const gates: Readonly<Record<string, number>> = thresholds;
  const name = `${stage}Threshold`;
  return Object.hasOwn(gates, name) ? gates[name] : undefined;
}
