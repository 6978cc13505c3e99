import { runIsDue, spentAfter, type Pass, type Spent } from '../pipeline/index.js';
import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';
import type { SessionCore } from './session-parts.js';

/* What a session is to do before a call, and why. */

/** Whether anything would be compacted now: what that needs is the whole log. */
export function wouldAct(of: SessionCore): boolean {
  const { memory, ledger, projection } = of.thread;
  if (memory.queued) return true;
  const { auto, gauge, policy } = of.parts;
  if (!auto || ledger.pending) return false;
  if (policy.passes.some((pass) => passIsDue(of, pass))) return true;
  return triggerAt(of, gauge.read(projection)) !== undefined;
}

/** Why a run is due at this reading; undefined where none is. */
export function triggerAt({ thread, parts }: SessionCore, reading: Reading): Trigger | undefined {
  const { auto, policy } = parts;
  const { memory, appendedTokens } = thread;
  const { spent, overflowed, queued } = memory;
  if (!auto && !queued) return undefined;
  if (overflowed) return { kind: 'overflow', detail: 'the provider reported more than the budget' };
  if (queued) {
    const { id, auto: byHost } = queued;
    return { kind: byHost ? 'overflow' : 'manual', detail: `queued in the log by ${id}` };
  }
  const { gates, minGain } = policy;
  const freshTokens = minGain * reading.budget.tokens;
  if (runIsDue(reading.pressure, gates, spent, appendedTokens, freshTokens)) {
    return { kind: 'pressure', detail: `pressure ${reading.pressure.toFixed(3)}` };
  }
  const results = reading.byToolResults ?? 0;
  const fresh = !spent || appendedTokens - spent.appended >= freshTokens;
  return results > 1 && fresh
    ? { kind: 'cap', detail: `tool results at ${results.toFixed(2)} of their cap` }
    : undefined;
}

/** What a run that came to nothing leaves behind: it is not repeated until something new comes in. */
export function spentNow({ thread, parts }: SessionCore): Spent {
  const { projection, appendedTokens } = thread;
  const { pressure } = parts.gauge.read(projection);
  return spentAfter(pressure, parts.policy.gates, appendedTokens) ?? { gate: -1, appended: appendedTokens };
}

/** Whether a pass runs before the next call; those at the head of a run wait for one. */
export function passIsDue({ thread, parts }: SessionCore, { when }: Pass): boolean {
  const { auto, gauge } = parts;
  const { projection, log } = thread;
  if (!auto || when === 'compaction') return false;
  if (when === 'always') return true;
  if (when === 'iteration') return log.length > log.base && log.at(log.length - 1).role === 'tool';
  const { pressure, tokens } = gauge.read(projection);
  // The absolute threshold wins where one is set.
  return when.maxTokens > 0 ? tokens >= when.maxTokens : pressure >= when.pressure;
}
