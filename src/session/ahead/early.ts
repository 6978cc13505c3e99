import { planRun, rejudge, type Planned, type RunInput } from '../../pipeline/index.js';
import type { Log, Trigger } from '../../transcript/index.js';
import type { Background } from './background.js';
import { fillPlan, hasSlots, type Filling } from '../fill.js';
import { asJson, bodyOf, placeOf, PREPARED, type PreparedText, type SavedPlan } from './prepared-plan.js';
import { inputFor } from '../run-input.js';
import type { AgentState, SessionParts } from '../state.js';

/** A compaction whose text was bought before it was due: good as long as log and ledger only grow at their ends. */
interface Ready {
  readonly outcome: Planned;
  readonly bought: Filling['bought'];
  readonly log: Log;
}

export interface EarlyParts {
  readonly background: Background;
  /** Whether another process would write the same: nothing of this session alone goes into its requests. */
  readonly canShare: boolean;
  /** Milliseconds that somebody else's work is waited for before it is done here. */
  readonly waitMs: number;
}

/** Resolves when the log is stored; absent where it is kept nowhere. */
export type Stored = (() => Promise<void>) | undefined;

/**
 * Prepares the next compaction between turns, off the path: above a pressure of its own it plans as a run would, and
 * has the text bought in the background. The run that is due later finds it done. What the ledger overtook is discarded.
 */
export class EarlyFill {
  readonly #early: EarlyParts;
  #running: Promise<void> | undefined;
  #ready: Ready | undefined;
  #saved: SavedPlan | undefined;

  constructor(early: EarlyParts) {
    this.#early = early;
  }

  /** What is under way; undefined where nothing is. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts where it is worth it; never rejects, and nobody has to wait. */
  start(state: AgentState, parts: SessionParts, stored: Stored): void {
    const { filler, prepareAt, gauge, policy } = parts;
    if (!filler || prepareAt === null || this.#running || !state.isWhole || state.arrivals) return;
    if (this.take(state) || gauge.read(state.projection).pressure < prepareAt) return;
    const trigger: Trigger = { kind: 'pressure', detail: `prepared between turns, from ${prepareAt} on` };
    const input = { ...inputFor(state, parts, trigger), policy, forced: true };
    const outcome = planRun(input);
    if (outcome.kind !== 'planned' || !hasSlots(outcome)) return;
    this.#run(input, outcome, state, parts, stored);
  }

  /** Reads what another process left prepared, or is preparing. A store that is away costs the preparation alone. */
  async load(parts: SessionParts): Promise<void> {
    const { store } = this.#early.background;
    if (!store || !parts.filler || parts.prepareAt === null) return;
    const place = placeOf({ sessionId: parts.id, agentPath: parts.agentPath });
    const saved = await store.value(PREPARED, place).catch(() => undefined);
    this.#saved = saved as unknown as SavedPlan | undefined;
  }

  /** Goes on with what was loaded, where it is still for this ledger. Before a run that is due, with all of the log. */
  revive(state: AgentState, parts: SessionParts): void {
    const saved = this.#saved;
    if (!saved || this.#running || !state.isWhole || state.arrivals) return;
    this.#saved = undefined;
    if (saved.entries !== state.ledger.version || saved.plan.base !== state.ledger.head) return;
    const { plan } = saved;
    const input = { ...inputFor(state, parts, plan.trigger), forced: true };
    try {
      const outcome = rejudge(input, plan, plan.edits);
      if (hasSlots(outcome)) this.#run(input, outcome, state, parts, () => Promise.resolve());
    } catch {
      // Other pins or settings now: the run plans for itself.
    }
  }

  /** What can be committed on the ledger of now, with the view it gives; undefined where nothing can. */
  take(state: AgentState): Omit<Ready, 'log'> | undefined {
    const ready = this.#ready;
    if (!ready || ready.log !== state.log || ready.outcome.plan.base !== state.ledger.head) return undefined;
    const draft = state.projection.fork();
    draft.apply(ready.outcome.plan.edits);
    return { outcome: { ...ready.outcome, draft }, bought: ready.bought };
  }

  #run(input: RunInput, outcome: Planned, state: AgentState, parts: SessionParts, stored: Stored): void {
    const { log } = state;
    this.#saved = undefined;
    this.#running = this.#prepare(input, outcome, state, parts, stored)
      .then((filling) => {
        this.#ready = filling && { ...filling, log };
        if (!this.take(state)) this.#ready = undefined;
      })
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  /** Undefined where the engine was closed meanwhile, or the ledger moved on. */
  async #prepare(
    input: RunInput,
    outcome: Planned,
    state: AgentState,
    parts: SessionParts,
    stored: Stored,
  ): Promise<Filling | undefined> {
    const { background, canShare, waitMs } = this.#early;
    const { costs, audit } = parts;
    const filler = parts.filler!;
    let filling: Filling | undefined;
    const here = async (signal: AbortSignal): Promise<PreparedText> => {
      const filled = await fillPlan(input, outcome, filler, costs, signal);
      signal.throwIfAborted();
      filling = filled;
      return { ...filled.bought, usage: [] };
    };
    const body = bodyOf(input, outcome, state, parts);
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
    const isCurrent = state.log === input.source.log && state.ledger.head === outcome.plan.base;
    if (background.isStopped || !isCurrent) return undefined;
    // Finds the text that others bought; what they did not get is bought now.
    const filled = await fillPlan(input, outcome, filler, costs, undefined);
    const calls = [...(theirs?.calls ?? []), ...filled.bought.calls];
    return { ...filled, bought: { ...filled.bought, calls } };
  }
}
