import type { Trigger } from '../transcript/index.js';
import type { Reading } from '../tokens/index.js';
import type { Keeping } from './kept/keeping.js';
import { readOverflow } from './overflow.js';
import type { RunReport } from './prepared.js';
import type { AgentState, SessionParts } from './state.js';

/** What a refusal came to. */
export interface OverflowVerdict {
  /** False: the error is about something else, and nothing was done. */
  readonly overflow: boolean;
  /** The view is smaller now, and the call may be made again. */
  readonly retry: boolean;
  readonly reason: string;
  /** The run that followed; absent where none did. */
  readonly run?: RunReport;
}

type Compact = (trigger: Trigger, target: number) => Promise<RunReport>;

/** Reacts to a request that was too long: once, until a call goes through again. */
export class Reaction {
  readonly #parts: SessionParts;
  readonly #state: AgentState;
  readonly #keeping: Keeping;
  #tried = false;

  constructor(parts: SessionParts, state: AgentState, keeping: Keeping) {
    this.#parts = parts;
    this.#state = state;
    this.#keeping = keeping;
  }

  /** A call went through. */
  answered(): void {
    this.#tried = false;
  }

  async to(error: unknown, sent: Reading | undefined, compact: Compact): Promise<OverflowVerdict> {
    const refusal = readOverflow(error);
    if (!refusal) return { overflow: false, retry: false, reason: 'the error is about something else' };
    const { requested, ...proven } = refusal;
    const { gauge, policy, audit } = this.#parts;
    if (requested !== undefined && sent) gauge.observe({ inputTokens: requested }, sent);
    if (Object.keys(proven).length > 0) {
      gauge.learn(proven);
      await this.#keeping.learned(gauge.model, gauge.learned);
    }
    audit.say('overflow', undefined, { ...refusal, model: gauge.model });
    if (this.#tried)
      return { overflow: true, retry: false, reason: 'refused again after it had been compacted' };
    this.#tried = true;
    const before = this.#state.projection.size.tokens;
    const { pressure } = gauge.read(this.#state.projection);
    const trigger: Trigger = { kind: 'overflow', detail: 'the provider refused the request as too long' };
    // What was refused was full, whatever it is read as: the target is a share of that, or nothing would go.
    const run = await compact(trigger, policy.target * Math.min(1, pressure));
    const after = this.#state.projection.size.tokens;
    const gained = run.kind === 'committed' && after < before;
    const reason = gained
      ? `compacted from ${before} to ${after} tokens`
      : `nothing was gained: ${run.reason}`;
    return { overflow: true, retry: gained, reason, run };
  }
}
