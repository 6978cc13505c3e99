import type { Pass } from '../pipeline/index.js';
import type { AgentState, SessionParts } from './state.js';

/** Whether a pass runs before the next call; those at the head of a run wait for one. */
export function passIsDue(pass: Pass, { projection, log }: AgentState, { gauge }: SessionParts): boolean {
  if (pass.when === 'compaction') return false;
  if (pass.when === 'always') return true;
  if (pass.when === 'iteration') return log.length > log.base && log.at(log.length - 1).role === 'tool';
  const { pressure, tokens } = gauge.read(projection);
  // The absolute threshold wins where one is set.
  return pass.when.maxTokens > 0 ? tokens >= pass.when.maxTokens : pressure >= pass.when.pressure;
}
