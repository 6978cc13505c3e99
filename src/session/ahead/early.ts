import { planRun, rejudge, type Planned, type RunInput } from '../../pipeline/index.js';
import type { Filler } from '../../summarizers/index.js';
import type { ClaimEnd, Log, Trigger } from '../../transcript/index.js';
import { fillPlan, hasSlots, type Filling } from '../fill.js';
import { asJson, bodyOf, placeOf, PREPARED, type PreparedText, type SavedPlan } from './prepared-plan.js';
import { planInput } from '../plan-input.js';
import type { SessionCore } from '../session-parts.js';

/** A compaction whose text was bought before it was due: good as long as log and ledger only grow at their ends. */
interface ReadyPlan {
  readonly outcome: Planned;
  readonly bought: Filling['bought'];
  readonly log: Log;
  /** What operators had ended by then. */
  readonly ended: ReadonlyMap<string, ClaimEnd>;
}

/** Resolves when the log is stored; absent where it is kept nowhere. */
type UntilStored = (() => Promise<void>) | undefined;

/**
 * Prepares the next compaction between turns, off the path: above a pressure of its own it plans as a run would, and
 * has the text bought in the background. The run that is due later finds it done. What the ledger overtook is discarded.
 */
export class EarlyFill {
  readonly #of: SessionCore;
  #running: Promise<void> | undefined;
  #ready: ReadyPlan | undefined;
  #saved: SavedPlan | undefined;

  /** `saved`: what another process left prepared, or is preparing. */
  constructor(of: SessionCore, saved?: SavedPlan) {
    this.#of = of;
    this.#saved = saved;
  }

  /** What is under way; undefined where nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts where it is worth it; never rejects, and nobody has to wait. */
  start(stored: UntilStored): void {
    const { filler, prepareAt, gauge, policy } = this.#of.parts;
    const { isWhole, arrivals, projection } = this.#of.thread;
    if (!filler || prepareAt === null || this.#running || !isWhole || arrivals) return;
    if (this.take() || gauge.read(projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    const input = { ...planInput(this.#of, trigger), policy, forced: true, asks: true };
    const outcome = planRun(input);
    if (outcome.kind !== 'planned' || !hasSlots(outcome)) return;
    this.#run(input, outcome, filler, stored);
  }

  /** Goes on with what was loaded, where it is still for this ledger. Before a run that is due, with all of the log. */
  revive(): void {
    const saved = this.#saved;
    const { filler } = this.#of.parts;
    const { isWhole, arrivals, ledger } = this.#of.thread;
    if (!saved || !filler || this.#running || !isWhole || arrivals) return;
    this.#saved = undefined;
    if (saved.entries !== ledger.version || saved.plan.base !== ledger.head) return;
    const { plan } = saved;
    const input = { ...planInput(this.#of, plan.trigger), forced: true };
    try {
      const outcome = rejudge(input, plan, plan.edits);
      if (hasSlots(outcome)) this.#run(input, outcome, filler, () => Promise.resolve());
    } catch {
      // Other pins or settings now: the run plans for itself.
    }
  }

  /** What can be committed on the ledger of now, with the view it gives; undefined where nothing can. */
  take(): Omit<ReadyPlan, 'log' | 'ended'> | undefined {
    const ready = this.#ready;
    const { log, ledger, projection } = this.#of.thread;
    if (!ready || ready.log !== log || ready.outcome.plan.base !== ledger.head) return undefined;
    // It carries what was ended since, or is without what was brought back.
    if (ready.ended !== ledger.endedClaims) return undefined;
    const draft = projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }

  #run(input: RunInput, outcome: Planned, filler: Filler, stored: UntilStored): void {
    const { log, ledger } = this.#of.thread;
    const ended = ledger.endedClaims;
    this.#saved = undefined;
    this.#running = this.#prepare(input, outcome, filler, stored)
      .then((filling) => {
        this.#ready = filling && { ...filling, log, ended };
        if (!this.take()) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  /** Undefined where the engine was closed meanwhile, or the ledger moved on. */
  async #prepare(
    input: RunInput,
    outcome: Planned,
    filler: Filler,
    stored: UntilStored,
  ): Promise<Filling | undefined> {
    const { id, agentPath, ahead, audit, costs, gauge } = this.#of.parts;
    const { background, canShare, waitMs } = ahead;
    const thread = this.#of.thread;
    let filling: Filling | undefined;
    const here = async (signal: AbortSignal): Promise<PreparedText> => {
      const filled = await fillPlan(input, outcome, filler, this.#of.parts, signal);
      signal.throwIfAborted();
      filling = filled;
      return { ...filled.bought, usage: [] };
    };
    const body = bodyOf(input, outcome, {
      sessionId: id,
      agentPath,
      model: gauge.model,
      version: filler.version,
      entries: thread.ledger.version,
    });
    let theirs: PreparedText | undefined;
    try {
      const isStored = canShare && stored !== undefined && background.store !== undefined;
      if (isStored) {
        await stored();
        const saved: SavedPlan = { entries: body.entries, plan: outcome.plan };
        await background.store.setValue(PREPARED, placeOf(body), asJson(saved));
      }
      const { isNew, text } = await background.prepare({ body, isStored, here, waitMs });
      if (filling) return filling;
      theirs = text;
      // Who bought it noted it in the store, and not here.
      if (isNew && text) costs.restore(text.usage);
    } catch (error) {
      if (!background.isStopped) audit.say('prepared-alone', undefined, { reason: (error as Error).message });
    }
    const isCurrent = thread.log === input.source.log && thread.ledger.head === outcome.plan.base;
    if (background.isStopped || !isCurrent) return undefined;
    // Finds the text that others bought; what they did not get is bought now.
    const filled = await fillPlan(input, outcome, filler, this.#of.parts, undefined);
    const calls = [...(theirs?.calls ?? []), ...filled.bought.calls];
    return { ...filled, bought: { ...filled.bought, calls } };
  }
}
