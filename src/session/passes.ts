import {
  leftStanding,
  planPass,
  planSignatures,
  type Pass,
  type RunInput,
  type RunOutcome,
} from '../pipeline/index.js';
import type { Trigger } from '../transcript/index.js';
import type { Committer } from './commit.js';
import type { Planner } from './planner.js';
import type { Thread } from './thread.js';

/** What needs no gate: free work before a call, and at the head of a run. */
export class Passes {
  readonly #thread: Thread;
  readonly #planner: Planner;
  readonly #committer: Committer;
  readonly #timer: () => number;

  /** `timer`: monotonic milliseconds. */
  constructor(thread: Thread, planner: Planner, committer: Committer, timer: () => number) {
    this.#thread = thread;
    this.#planner = planner;
    this.#committer = committer;
    this.#timer = timer;
  }

  /** A pass keeps the view stable by a record of its own; it is no compaction: no history, no hooks, no events. */
  commit(pass: Pass): void {
    this.#commitQuietly(pass, (input) => planPass(input, pass));
  }

  /** Reasoning that a compaction had left to an open tool loop, once that loop is over. */
  commitSignatures(): void {
    if (leftStanding(this.#thread.ledger.records).length === 0) return;
    const why = { kind: 'prune', detail: 'signed reasoning: its tool loop is over' } as const;
    this.#commitQuietly(why, planSignatures);
  }

  #commitQuietly({ kind, detail }: Trigger, plan: (input: RunInput) => RunOutcome | undefined): void {
    const started = this.#timer();
    const outcome = plan(this.#planner.inputFor({ kind, detail }));
    if (outcome?.kind === 'planned') this.#committer.commit(outcome, 'prune', this.#timer() - started);
  }
}
