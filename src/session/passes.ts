import {
  planPass,
  planSignatures,
  type Pass,
  type RunInput,
  type RunOutcome,
  type SignedThought,
} from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import type { Committer } from './commit.js';
import type { Planner } from './planner.js';

/** What needs no gate: free work before a call, and at the head of a run. */
export class Passes {
  readonly #planner: Planner;
  readonly #committer: Committer;
  readonly #timer: () => number;

  /** `timer`: monotonic milliseconds. */
  constructor(planner: Planner, committer: Committer, timer: () => number) {
    this.#planner = planner;
    this.#committer = committer;
    this.#timer = timer;
  }

  /** A pass keeps the view stable by a record of its own; it is no compaction: no history, no hooks, no events. */
  commit(pass: Pass): void {
    this.#commitQuietly(pass, (input) => planPass(input, pass));
  }

  /** Takes signed reasoning out that is stale though nothing is compacted; `why` goes into the record. */
  commitStale(isStale: (thought: SignedThought) => boolean, why: string): void {
    this.#commitQuietly({ kind: 'prune', detail: why }, (input) => planSignatures(input, isStale));
  }

  #commitQuietly({ kind, detail }: Trigger, plan: (input: RunInput) => RunOutcome | undefined): void {
    const started = this.#timer();
    const outcome = plan(this.#planner.inputFor({ kind, detail }));
    if (outcome?.kind === 'planned') this.#committer.commit(outcome, 'prune', this.#timer() - started);
  }
}
