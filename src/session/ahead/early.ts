import { rejudge, type Planned, type RunInput } from '../../pipeline/index.js';
import type { Filler } from '../../summarizers/index.js';
import type { Log, Trigger } from '../../transcript/index.js';
import { asksPlugins } from '../hooks/session-plugins.js';
import { asJson, bodyOf, placeOf, PREPARED, type PreparedText, type SavedPlan } from './prepared-plan.js';
import { hasSlots, type Filling } from '../planner.js';
import { inSlices } from '../slices.js';
import type { Pieces } from '../wiring.js';

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
  #running: Promise<void> | undefined;
  #ready: ReadyPlan | undefined;
  /** What another process left prepared, or is preparing. */
  #saved: SavedPlan | undefined;

  constructor(
    private readonly of: Pick<
      Pieces,
      | 'audit'
      | 'background'
      | 'engine'
      | 'gauge'
      | 'key'
      | 'opened'
      | 'options'
      | 'persistence'
      | 'planner'
      | 'plugins'
      | 'policies'
      | 'settings'
      | 'summarizer'
      | 'thread'
    >,
  ) {
    this.#saved = of.opened?.prepared;
  }

  /** What is under way; undefined where nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts where it is worth it; never rejects, and nobody has to wait. */
  start(): void {
    const { gauge, policies, planner, thread } = this.of;
    const { arrivals, projection } = thread;
    const policy = policies.now;
    const [filler, prepareAt] = [this.#filler, this.of.settings.fill.prepareAt];
    if (!filler || prepareAt === null || this.#running || arrivals) return;
    if (this.take() || gauge.read(projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    this.#run(async () => {
      await inSlices(thread.reader.catchingUp());
      const input = { ...planner.input(trigger), policy, forced: true, asks: true };
      const outcome = await planner.drafted(input);
      if (outcome.kind !== 'planned' || !hasSlots(outcome)) return undefined;
      return this.#prepare(input, outcome, filler);
    });
  }

  /** Goes on with what was loaded, where it is still for this ledger. Before a run that is due, with all of the log. */
  revive(): void {
    const saved = this.#saved;
    const { planner, thread } = this.of;
    const filler = this.#filler;
    const { arrivals, ledger } = thread;
    if (!saved || !filler || this.#running || arrivals) return;
    this.#saved = undefined;
    if (saved.entries !== ledger.version || saved.plan.base !== ledger.head) return;
    const { plan } = saved;
    const input = { ...planner.input(plan.trigger), forced: true };
    try {
      const outcome = rejudge(input, plan, plan.edits);
      if (hasSlots(outcome)) this.#run(() => this.#prepare(input, outcome, filler));
    } catch {
      // Other pins or settings now: the run plans for itself.
    }
  }

  /** What can be committed on the ledger of now, with the view it gives; undefined where nothing can. */
  take(): Omit<ReadyPlan, 'log'> | undefined {
    const ready = this.#ready;
    const { log, ledger, projection } = this.of.thread;
    if (!ready || ready.log !== log || ready.outcome.plan.base !== ledger.head) return undefined;
    const draft = projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }

  /** None where plugins are asked, which they are when a compaction is due: by then it would be made. */
  get #filler(): Filler | undefined {
    const { plugins, policies, summarizer } = this.of;
    return asksPlugins(plugins, policies.now) ? undefined : summarizer.filler;
  }

  #run(prepare: () => Promise<Filling | undefined>): void {
    const { log } = this.of.thread;
    this.#running = prepare()
      .then((filling) => {
        this.#ready = filling && { ...filling, log };
        if (!this.take()) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  /** Undefined where the engine was closed meanwhile, or the ledger moved on. */
  async #prepare(input: RunInput, outcome: Planned, filler: Filler): Promise<Filling | undefined> {
    const { key, engine, options, settings, thread, audit, background, gauge, planner } = this.of;
    const [{ store }, { persistence }] = [background, this.of];
    this.#saved = undefined;
    // What this session alone is told, or is told anew each time, would make another request of it, and another purchase.
    const isOwn = options.summaryLines !== undefined || typeof engine.summaryLines === 'function';
    // Nobody may talk here again: what it cost would wait for ever.
    const note = (): Promise<void> => persistence.record([]).catch(() => undefined);
    const buy = (signal?: AbortSignal): Promise<Filling> =>
      planner.fill(input, outcome, filler, signal).finally(note);
    if (!persistence.journal || !store || isOwn) {
      const filled = await background.alone(buy);
      return background.isStopped ? undefined : filled;
    }
    const body = bodyOf(input, outcome, {
      ...key,
      model: gauge.model,
      version: filler.version,
      entries: thread.ledger.version,
    });
    let theirs: PreparedText | undefined;
    try {
      await persistence.stored([]);
      const saved: SavedPlan = { entries: body.entries, plan: outcome.plan };
      await store.setValue(PREPARED, placeOf(body), asJson(saved));
      theirs = await background.together(body, settings.fill.deadlineMs);
      // Who bought it noted it in the store, and not here.
      if (theirs) await persistence.catchUp();
    } catch (error) {
      if (!background.isStopped) audit.say('prepared-alone', undefined, { reason: (error as Error).message });
    }
    const isCurrent = thread.log === input.source.log && thread.ledger.head === outcome.plan.base;
    if (background.isStopped || !isCurrent) return undefined;
    // Finds the text that others bought; what they did not get is bought now.
    const filled = await buy();
    const calls = [...(theirs?.calls ?? []), ...filled.bought.calls];
    return { ...filled, bought: { ...filled.bought, calls } };
  }
}
