import type { Observable } from 'rxjs';
import { PressureStream, type Emit, type PressureEvent } from '../pressure/index.js';
import type { StoredEvent } from '../spi/index.js';
import type { BreakerState } from '../summarizers/index.js';
import { overflowed, type Reading, type Usage } from '../tokens/index.js';
import type {
  CompactionRecord,
  Ledger,
  Message,
  Plan,
  Projection,
  ReadonlyLog,
  WaitingPlan,
} from '../transcript/index.js';
import { callEvent, type CallRecord } from './calls.js';
import type { Costs } from './costs.js';
import { explainView, type Disposition } from './explain.js';
import { Keeping } from './keeping.js';
import type { Followed } from './follow.js';
import { followedSession } from './followed.js';
import { flagRecord, lengthUpTo, rollBack, spentNow, takeBack, waitingFor, type Flag } from './operator.js';
import { commitPlan, dryRun, editPlan, previewPlan, type DryRun, type PlanChanges } from './plans.js';
import type { Prepared, RunReport } from './prepared.js';
import { Requests, type PrepareOptions } from './requests.js';
import { respondNow, respondToPressure, wouldAct, type Response } from './respond.js';
import { createState, takeIn, type AgentState, type SessionParts } from './state.js';
import type { OpenedThread } from './thread.js';

/** One agent path's log, what is sent of it, and what was compacted. The boundary an agent talks to. */
export class Session {
  readonly id: string;
  readonly agentPath: string;
  readonly #parts: SessionParts;
  readonly #state: AgentState;
  readonly #keeping: Keeping;
  readonly #requests: Requests;
  readonly #stream = new PressureStream<Reading, RunReport>();

  /** `opened`: where it is kept; without it the session lives as long as the process. */
  constructor(parts: SessionParts, opened?: OpenedThread) {
    this.#parts = parts;
    this.id = parts.id;
    this.agentPath = parts.agentPath;
    this.#state = opened?.state ?? createState(parts);
    this.#requests = new Requests(parts, opened?.calls);
    this.#keeping = new Keeping(this.#state, parts, opened);
  }

  /** As far as it was read: a session that was opened again holds its live tail until `load`. */
  get log(): ReadonlyLog {
    return this.#state.log;
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#state.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. Of a session opened again: after `load`. */
  get history(): readonly CompactionRecord[] {
    return this.#state.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent<Reading>> {
    return this.#stream.events;
  }

  get reading(): Reading {
    return this.#parts.gauge.read(this.#state.projection);
  }

  /** What would be sent now, message by message. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.#state.projection.view;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.#parts.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.filler?.breakers ?? {};
  }

  /** The plan that waits for a yes; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.#state.ledger.pending;
  }

  /** Requests that were prepared since the session was opened. */
  get calls(): readonly CallRecord[] {
    return this.#requests.calls;
  }

  /** Reads the rest of a session that was opened again. Runs, undo, explain and recall do so by themselves. */
  async load(): Promise<this> {
    await this.#keeping.load();
    return this;
  }

  /** What became of every message of the log, by whom and why. Of a session opened again: after `load`. */
  explain(): Disposition[] {
    const { log, projection, isPinned } = this.#state;
    return explainView(log, projection.view, isPinned);
  }

  /**
   * Adds messages to the log; each is measured once, here. While a compaction waits for text they are taken in right
   * after it, in order. Throws `MESSAGE_ID_TAKEN`. Resolves when they are stored; rejects with `STORE_FAILED`, and then
   * the next call of anything stores them.
   */
  append(...messages: readonly Message[]): Promise<void> {
    for (const message of messages) takeIn(message, this.#state, this.#parts);
    return this.#keeping.stored(messages.map(({ id }) => id));
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit, log and ledger being as before, and with `COMPACTION_PENDING` where an operator is
   * asked first. Aborting the signal stops the waiting for text: the compaction goes on with what there is.
   */
  async prepare(options: PrepareOptions = {}): Promise<Prepared> {
    if (options.model !== undefined) this.#parts.gauge.talkTo(options.model);
    const injected = this.#requests.injections(options.inject ?? []);
    const run = await this.#respond((emit) =>
      this.#keeping.during(
        () => respondToPressure(this.#state, this.#parts, emit, options.signal),
        () => wouldAct(this.#state, this.#parts),
      ),
    );
    if (run.error) throw run.error;
    return this.#requests.write(this.#state, run, injected);
  }

  /** Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). */
  compact(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    const { target = this.#parts.policy.target, signal } = options;
    const trigger = { kind: 'manual', detail: `asked for pressure ${target}` } as const;
    return this.#respond((emit) =>
      this.#keeping.during(() =>
        respondNow(this.#state, this.#parts, emit, trigger, { target, forced: true, signal }),
      ),
    );
  }

  /**
   * What the provider reported for the newest request: calibrates the scale that readings are on. Where it was more
   * than the model takes, the next `prepare` compacts whatever the reading says. Nothing is learned where the view was
   * rewritten since: what was reported is of a request that would no longer be sent. Resolves when it is stored.
   */
  observe(usage: Usage): Promise<void> {
    this.#parts.costs.addPrimary(usage);
    const { reading, call, notices } = this.#requests.observe(usage);
    if (reading && overflowed(usage, reading.budget)) this.#state.overflowed = true;
    for (const { what, ...facts } of notices) this.#parts.audit.say(what, undefined, facts);
    return this.#keeping.noted(call ? [callEvent(call)] : []);
  }

  /** What a compaction would do now, decided as one would be, text and all. Changes nothing; always answers. */
  async plan(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    await this.#keeping.load();
    return dryRun(this.#state, this.#parts, options);
  }

  /** The request that a plan would give, without it being committed. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    await this.#keeping.load();
    return previewPlan(plan, this.#state, this.#parts);
  }

  /** A plan with other words, or without some of its edits; judged and measured again on the ledger of now. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    await this.#keeping.load();
    const edited = editPlan(plan, changes, this.#state, this.#parts);
    const { pending } = this.#state.ledger;
    if (pending?.plan.hash === plan.hash) {
      const proposal: WaitingPlan = { ...pending, plan: edited, at: this.#parts.clock() };
      await this.#change(() => this.#state.ledger.play({ kind: 'propose', proposal }));
      this.#parts.audit.say('edited', edited.hash, { was: plan.hash });
    }
    return edited;
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it pause until then. */
  async propose(plan: Plan): Promise<void> {
    const proposal: WaitingPlan = { plan, at: this.#parts.clock() };
    await this.#change(() => this.#state.ledger.play({ kind: 'propose', proposal }));
    this.#parts.audit.say('pending', plan.hash, { reason: plan.trigger.detail });
  }

  /** Commits exactly this plan. Rejects with `LEDGER_CONFLICT` where the ledger moved on since it was made. */
  commit(plan: Plan): Promise<CompactionRecord> {
    return this.#change(() => commitPlan(plan, this.#state, this.#parts));
  }

  /** Says yes to the plan that waits, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    await this.#keeping.load();
    const { plan } = waitingFor(this.#state, hash);
    return this.commit(plan);
  }

  /** Says no: the plan goes, and nothing is compacted until something new comes in. */
  async reject(hash?: string, notes?: string): Promise<void> {
    await this.#keeping.load();
    const { plan } = waitingFor(this.#state, hash);
    const event = { kind: 'reject', plan: plan.hash, ...(notes !== undefined && { notes }) } as const;
    await this.#change(() => {
      this.#state.ledger.play(event);
      this.#state.spent = spentNow(this.#state, this.#parts);
      this.#parts.audit.say('rejected', plan.hash, { notes });
    });
  }

  /**
   * Takes the newest compaction back, or with `to` that one and all after it; their spans are held, so that nothing
   * compacts them again until released. Naming one with `record` that later ones build on is refused with
   * `UNDO_BLOCKED`, which names them. Newest first; empty where nothing is live.
   */
  undo(of: { readonly record?: string; readonly to?: string } = {}): Promise<readonly CompactionRecord[]> {
    return this.#change(() => takeBack(of, this.#state, this.#parts));
  }

  /** Lets go of every hold that undoing left. */
  release(): Promise<void> {
    return this.#change(() => this.#state.ledger.release());
  }

  /**
   * Goes back to a message: what came after it is left out from here on, and what later compactions had superseded
   * stands again. Nothing is deleted. Rejects with `MESSAGE_UNKNOWN`.
   */
  rollback(toMessageId: string): Promise<readonly CompactionRecord[]> {
    return this.#keeping.changeStored(() =>
      rollBack(lengthUpTo(toMessageId, this.#state), this.#state, this.#parts),
    );
  }

  /** As `rollback`, to a length of the log; 0 leaves out everything. */
  rewind(length: number): Promise<readonly CompactionRecord[]> {
    return this.#keeping.changeStored(() => rollBack(length, this.#state, this.#parts));
  }

  /**
   * Takes in what is new in a request body that holds the client's whole history. Where the client went back or
   * changed what it had sent, the log is rolled back to there, with a notice; instructions at the head may change
   * freely, and the newest are sent. The next `prepare` gives the request. Rejects with `INPUT_FORMAT`.
   */
  follow(body: unknown): Promise<Followed> {
    return this.#parts.follower.follow(body, () =>
      followedSession(this.#state, this.#parts, {
        append: (messages) => this.append(...messages),
        afterRuns: async (change) => {
          await this.#respond(async () => {
            await this.#keeping.changeStored(change);
            return { kind: 'noop', reason: 'the client went back', stages: [], durationMs: 0 };
          });
        },
      }),
    );
  }

  /** An operator's judgement of a compaction. Rejects with `RECORD_UNKNOWN`. */
  flag(recordId: string, flag: Flag, notes?: string): Promise<CompactionRecord> {
    return this.#change(() => flagRecord(recordId, flag, notes, this.#state, this.#parts));
  }

  /** What happened to compaction here, in order: since it was opened, or ever where it is kept. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.#keeping.audit();
  }

  /** One change of an operator, stored before it is answered. At once where nothing has to be read or waited for. */
  #change<T>(change: () => T): Promise<T> {
    return this.#keeping.change(change);
  }

  async #respond(respond: (emit: Emit<Reading>) => Response): Promise<RunReport> {
    const settled = await this.#stream.submit(respond);
    if (!settled.ok) throw settled.error;
    return settled.outcome;
  }
}
