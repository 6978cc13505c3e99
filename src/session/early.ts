import { planRun, type Planned } from '../pipeline/index.js';
import type { Log, Trigger } from '../transcript/index.js';
import { fillPlan, hasSlots, type Filling } from './fill.js';
import { inputFor } from './run-input.js';
import type { AgentState, SessionParts } from './state.js';

/** A compaction whose text was bought before it was due: good as long as log and ledger only grow at their ends. */
interface Ready {
  readonly outcome: Planned;
  readonly bought: Filling['bought'];
  readonly log: Log;
}

/**
 * Prepares the next compaction between turns, off the path: above a pressure of its own it plans as a run would, and
 * buys the text. The run that is due later finds it done. What the ledger overtook is discarded.
 */
export class EarlyFill {
  #running: Promise<void> | undefined;
  #ready: Ready | undefined;

  /** What is under way; undefined where nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts where it is worth it; never rejects, and nobody has to wait. */
  start(state: AgentState, parts: SessionParts): void {
    const { filler, prepareAt, gauge, policy } = parts;
    if (!filler || prepareAt === null || this.#running || !state.isWhole || state.arrivals) return;
    if (this.take(state) || gauge.read(state.projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    const input = { ...inputFor(state, parts, trigger), policy, forced: true };
    const outcome = planRun(input);
    if (outcome.kind !== 'planned' || !hasSlots(outcome)) return;
    const { log } = state;
    this.#running = fillPlan(input, outcome, filler, parts.costs, undefined)
      .then(({ outcome: filled, bought }) => {
        this.#ready = { outcome: filled, bought, log };
        if (!this.take(state)) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  /** What can be committed on the ledger of now, with the view it gives; undefined where nothing can. */
  take(state: AgentState): Omit<Ready, 'log'> | undefined {
    const ready = this.#ready;
    if (!ready || ready.log !== state.log || ready.outcome.plan.base !== state.ledger.head) return undefined;
    const draft = state.projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }
}
