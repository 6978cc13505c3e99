import type { Planned, RunInput } from '../../pipeline/index.js';
import type { Filler } from '../../summarizers/index.js';
import type { Log, Trigger } from '../../transcript/index.js';
import { asksPlugins } from '../hooks/session-plugins.js';
import { hasSlots, type Filling, type Planner } from '../planner.js';
import type { Uses } from '../services.js';

type Parts = Uses<'settings' | 'thread' | 'gauge' | 'policies' | 'plugins' | 'summarizer' | 'background'> & {
  readonly planner: Planner;
};

/** A compaction whose text was bought before it was due: good as long as log and ledger only grow at their ends. */
interface ReadyPlan {
  readonly outcome: Planned;
  readonly bought: Filling['bought'];
  readonly log: Log;
}

/**
 * Prepares the next compaction between turns, off the path: above a pressure of its own it plans as a run would, and
 * has the text bought in the background. The run that is due later finds it done. What the ledger overtook is discarded.
 */
export class EarlyFill {
  readonly #of: Parts;
  #running: Promise<void> | undefined;
  #ready: ReadyPlan | undefined;

  constructor(of: Parts) {
    this.#of = of;
  }

  /** What is under way; undefined where nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts where it is worth it; never rejects, and nobody has to wait. */
  start(): void {
    const { gauge, policies, planner, thread, settings, background } = this.#of;
    const { arrivals, projection } = thread;
    const policy = policies.now;
    const { prepareAt } = settings.fill;
    const filler = this.#filler;
    if (!filler || prepareAt === null || this.#running || arrivals || !background.hasRoom) return;
    if (this.take() || gauge.read(projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    const input = { ...planner.input(trigger), policy, forced: true, asks: true };
    const outcome = planner.draft(input);
    if (outcome.kind === 'planned' && hasSlots(outcome)) this.#run(input, outcome, filler);
  }

  /** What can be committed on the ledger of now, with the view it gives; undefined where nothing can. */
  take(): Omit<ReadyPlan, 'log'> | undefined {
    const ready = this.#ready;
    const { log, ledger, projection } = this.#of.thread;
    if (!ready || ready.log !== log || ready.outcome.plan.base !== ledger.head) return undefined;
    const draft = projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }

  /** None where plugins are asked, which they are when a compaction is due: by then it would be made. */
  get #filler(): Filler | undefined {
    const { plugins, policies, summarizer } = this.#of;
    return asksPlugins(plugins, policies.now) ? undefined : summarizer.filler;
  }

  #run(input: RunInput, outcome: Planned, filler: Filler): void {
    const { background, planner } = this.#of;
    const { log } = this.#of.thread;
    this.#running = background
      .do((signal) => planner.fill(input, outcome, filler, signal))
      .then((filling) => {
        this.#ready = background.isClosed ? undefined : { ...filling, log };
        if (!this.take()) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }
}
