import { runIsDue, spentAfter, type Pass, type Spent } from '../pipeline/index.js';
import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';
import type { SessionParts } from './session-parts.js';
import type { Thread } from './thread.js';

/** Says what a session is to do before a call, and why. */
export class Triggers {
  readonly #thread: Thread;
  readonly #parts: Pick<SessionParts, 'auto' | 'gauge' | 'policy'>;

  constructor(thread: Thread, parts: Pick<SessionParts, 'auto' | 'gauge' | 'policy'>) {
    this.#thread = thread;
    this.#parts = parts;
  }

  /** Whether anything would be compacted now: what that needs is the whole log. */
  get wouldAct(): boolean {
    const { memory, ledger, projection } = this.#thread;
    if (memory.queued) return true;
    const { auto, gauge, policy } = this.#parts;
    if (!auto || ledger.pending) return false;
    if (policy.passes.some((pass) => this.passIsDue(pass))) return true;
    return this.runFor(gauge.read(projection)) !== undefined;
  }

  /** Why a run is due at this reading; undefined where none is. */
  runFor(reading: Reading): Trigger | undefined {
    const { auto, policy } = this.#parts;
    const { memory, appendedTokens } = this.#thread;
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
  get spentNow(): Spent {
    const { gauge, policy } = this.#parts;
    const { projection, appendedTokens } = this.#thread;
    const { pressure } = gauge.read(projection);
    return spentAfter(pressure, policy.gates, appendedTokens) ?? { gate: -1, appended: appendedTokens };
  }

  /** Whether a pass runs before the next call; those at the head of a run wait for one. */
  passIsDue({ when }: Pass): boolean {
    const { auto, gauge } = this.#parts;
    const { projection, log } = this.#thread;
    if (!auto || when === 'compaction') return false;
    if (when === 'always') return true;
    if (when === 'iteration') return log.length > log.base && log.at(log.length - 1).role === 'tool';
    const { pressure, tokens } = gauge.read(projection);
    // The absolute threshold wins where one is set.
    return when.maxTokens > 0 ? tokens >= when.maxTokens : pressure >= when.pressure;
  }
}
