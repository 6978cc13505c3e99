import type { Pass } from '../pipeline/index.js';
import { spentAfter, type GateInputs, type Spent } from '../pressure/index.js';
import type { Trigger } from '../transcript/index.js';
import type { Pieces } from './wiring.js';
import type { RunMemory } from './thread.js';

/** Decides what a session does before a call, and why. */
export class Triggers {
  constructor(
    private readonly pieces: Pick<Pieces, 'gauge' | 'policies' | 'settings' | 'stream' | 'thread'>,
  ) {}

  /** Whether pressure may start a compaction; otherwise only a request does. */
  get isAuto(): boolean {
    return this.pieces.settings.compaction.auto;
  }

  /** Whether anything would be compacted now. If so, the whole log has to be read first. */
  get wouldAct(): boolean {
    const { thread, policies, stream } = this.pieces;
    if (thread.memory.queued) return true;
    if (!this.isAuto || thread.ledger.pending) return false;
    return policies.current.passes.some(this.isPassDue) || stream.wouldFire(this.gateInputs) !== undefined;
  }

  /** The present state, as the gates of the pressure stream read it. */
  get gateInputs(): GateInputs {
    const { gauge, policies, thread } = this.pieces;
    const { memory, appendedTokens: appended, projection } = thread;
    const reading = gauge.read(projection);
    const { gates, minGain } = policies.current;
    const freshTokens = minGain * reading.budget.tokens;
    const isArmed = this.isAuto;
    return { reading, appended, gates, freshTokens, isArmed, requested: requestIn(memory, isArmed) };
  }

  /** The value that a run without a result leaves, so that it is not repeated until something new arrives. */
  get spent(): Spent {
    const { gauge, policies, thread } = this.pieces;
    const { projection, appendedTokens: appended } = thread;
    return (
      spentAfter(gauge.read(projection).pressure, policies.current.gates, appended) ?? { gate: -1, appended }
    );
  }

  /** Whether a pass runs before the next call. Passes at the start of a run wait for a run. */
  readonly isPassDue = ({ when }: Pass): boolean => {
    const { projection, log } = this.pieces.thread;
    if (!this.isAuto || when === 'compaction') return false;
    if (when === 'always') return true;
    if (when === 'iteration') return log.length > 0 && log.at(log.length - 1).role === 'tool';
    const { pressure, tokens } = this.pieces.gauge.read(projection);
    // An absolute threshold takes precedence if it is set.
    return when.maxTokens > 0 ? tokens >= when.maxTokens : pressure >= when.pressure;
  };
}

function requestIn({ overflowed, queued }: RunMemory, isAuto: boolean): Trigger | undefined {
  if (overflowed && (isAuto || queued))
    return { kind: 'overflow', detail: 'the provider reported more than the budget' };
  return queued && { kind: queued.auto ? 'overflow' : 'manual', detail: `queued in the log by ${queued.id}` };
}
