import type { StoredEvent } from '../../spi/index.js';
import type { BreakerState } from '../../summarizers/index.js';
import type { CompactionRecord, Flag, Ledger, Plan, WaitingPlan } from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import type { Costs } from '../costs.js';
import { checkChanges, checkOptions, checkValue } from '../arguments.js';
import type { GiveBackRequest, GivenBack, WordsGivenBack } from './give-back.js';
import type { UndoRequest } from './history.js';
import type { DryRun, PlanChanges } from './plans.js';
import { netCostsOf, type NetCost } from '../net-cost.js';
import {
  explainCall,
  explainView,
  findIn,
  transcriptOf,
  withRecords,
  type ExplainedCall,
  type ExplainedMessage,
  type Finding,
  type TranscriptEntry,
} from './past.js';
import type { Prepared, RunReport } from '../prepared.js';
import { mannerOf, type RunOverrides } from '../policies.js';
import type { Pieces } from '../wiring.js';

/** What an operator sees of a session and can do to it: its history, plans as values, undo, judgements, costs. */
export class SessionOperator {
  readonly #of: Pieces;

  /** @hidden Each session has one. */
  constructor(of: Pieces) {
    this.#of = of;
  }

  /** Requests that were prepared, newest last: since the session was opened, and after `load` all that were observed. */
  get calls(): readonly CallRecord[] {
    return this.#of.requests.calls;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.#of.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#of.summarizer.filler?.breakers ?? {};
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#of.thread.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. */
  get history(): readonly CompactionRecord[] {
    return this.#of.thread.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** The plan that waits for a yes; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.#of.thread.ledger.pending;
  }

  /** What became of every message of the log, by whom and why. */
  explain(): ExplainedMessage[] {
    const { log, projection, isPinned, ledger } = this.#of.thread;
    return withRecords(explainView(log, projection.view, isPinned), ledger.live, log);
  }

  /**
   * Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). What else the
   * overrides say holds for this run alone. Rejects with `CONFIG_INVALID` where one of them is no such value, and with
   * `CALL_WITHIN_CALL` where a request of the session is under way that asks for it.
   */
  async compact(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    checkOptions('session.operator.compact', options);
    const { signal, ...overrides } = options;
    const { line, policies, runs } = this.#of;
    const { trigger, ...how } = mannerOf(overrides, await policies.tuned(overrides));
    // The request of a call that is under way is not rewritten before it is answered.
    await line.idle();
    return runs.compact(trigger, { ...how, signal });
  }

  /**
   * Queues a compaction as a marker in the log: the next `prepare` executes it, also after a restart. `auto`: the host's
   * own doing, after which the agent may be told to go on; an operator's is not.
   */
  async queue(options: { readonly auto?: boolean } = {}): Promise<void> {
    checkOptions('session.operator.queue', options);
    return this.#of.inbox.queue(options.auto ?? false);
  }

  /** What a compaction would do now, decided as one would be, text and all. Changes nothing; always answers. */
  async plan(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    checkOptions('session.operator.plan', options);
    return this.#of.plans.dryRun(options);
  }

  /** The request that a plan would give, without it being committed. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    checkValue('preview', 'plan', plan);
    return this.#of.plans.preview(plan);
  }

  /** A plan with other words, or without some of its edits; judged and measured again on the ledger of now. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    checkValue('edit', 'plan', plan);
    checkChanges(plan, changes);
    if (this.pending?.plan.hash !== plan.hash) return this.#of.plans.edit(plan, changes);
    return this.#of.persistence.change(() => this.#of.plans.editWaiting(plan, changes));
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it pause until then. Rejects as `commit` does. */
  async propose(plan: Plan): Promise<void> {
    checkValue('propose', 'plan', plan);
    const { plans, persistence } = this.#of;
    const spent = await plans.boughtFor(plan);
    await persistence.change(() => plans.propose(plan, spent));
  }

  /**
   * Commits exactly this plan. Rejects with `LEDGER_CONFLICT` where the ledger moved on since it was made, and with
   * `PLAN_ALTERED` where it is not the plan that was made.
   */
  async commit(plan: Plan): Promise<CompactionRecord> {
    checkValue('commit', 'plan', plan);
    const { plans, persistence } = this.#of;
    const spent = await plans.boughtFor(plan);
    return plans.commitAndTell(() => persistence.change(() => plans.commit(plan, spent)));
  }

  /** Says yes to the plan that waits, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    const { plan } = this.#of.history.waitingFor(hash);
    return this.#of.plans.commitAndTell(() =>
      this.#of.persistence.change(() => this.#of.plans.approve(plan.hash)),
    );
  }

  /** Says no: the plan goes, and nothing is compacted until something new comes in. Above the budget the next call plans again. */
  async reject(hash?: string, notes?: string): Promise<void> {
    checkValue('reject', 'notes', notes ?? '');
    const { plan } = this.#of.history.waitingFor(hash);
    await this.#of.persistence.change(() => this.#of.plans.reject(plan.hash, notes));
  }

  /**
   * Takes the newest compaction back, or with `to` that one and all after it; their spans are held, so that nothing
   * compacts them again until released. Naming one with `record` that later ones build on is refused with
   * `UNDO_BLOCKED`, which names them. Newest first; empty where nothing is live, or another process was first.
   */
  async undo(of: UndoRequest = {}): Promise<readonly CompactionRecord[]> {
    checkOptions('session.operator.undo', of);
    let meant = of;
    return this.#of.persistence.change(() => {
      // On a retry after a conflict this undoes the compaction first named, not whichever is newest by then.
      meant = this.#of.history.named(meant);
      return this.#of.history.takeBack(meant);
    });
  }

  /**
   * The next request carries these original words once more, at its end, marked as history; they stay, byte for byte, until
   * a compaction takes them. Says what that costs; with `preview` it does no more than that. Rejects with
   * `GIVE_BACK_TOO_LARGE` where no compaction could make room, with `MESSAGE_UNKNOWN`, and with `RECALL_INVALID`.
   */
  async giveBack(request: GiveBackRequest): Promise<WordsGivenBack> {
    checkOptions('session.operator.giveBack', request);
    checkValue('giveBack', 'handle', request.handle);
    return this.#of.giveBack.ask(request);
  }

  /** What was given back, oldest first, and whether the model has seen it. */
  givenBack(): Promise<readonly GivenBack[]> {
    return this.#of.giveBack.list();
  }

  /** Lets go of every hold that undoing left. */
  release(): Promise<void> {
    return this.#of.persistence.change(() => this.#of.thread.ledger.release());
  }

  /**
   * Goes back to a message: what came after it is left out from here on, and what later compactions had superseded
   * stands again. Nothing is deleted. Rejects with `MESSAGE_UNKNOWN`.
   */
  rollback(toMessageId: string): Promise<readonly CompactionRecord[]> {
    return this.#of.persistence.changeStored(() =>
      this.#of.history.rollBack(this.#of.history.lengthUpTo(toMessageId)),
    );
  }

  /** As `rollback`, to a length of the log; 0 leaves out everything. */
  async rewind(length: number): Promise<readonly CompactionRecord[]> {
    checkValue('rewind', 'length', length);
    return this.#of.persistence.changeStored(() => this.#of.history.rollBack(length));
  }

  /** An operator's judgement of a compaction. Rejects with `RECORD_UNKNOWN`. */
  async flag(recordId: string, flag: Flag, notes?: string): Promise<CompactionRecord> {
    checkValue('flag', 'notes', notes ?? '');
    return this.#of.persistence.change(() => this.#of.history.flag(recordId, flag, notes));
  }

  /**
   * Forgets the limits that refusals taught of the model that is talked to: in this session and in its store. Sessions
   * that are open elsewhere keep to them until they are opened again.
   */
  forgetLimits(): Promise<void> {
    return this.#of.persistence.forgetLimits();
  }

  /** What happened to compaction here, in order: since it was opened, or ever where it is kept. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.#of.persistence.audit();
  }

  /** What a call was sent, message by message: kept, replaced, superseded or pinned, by which compaction and why. */
  async explainCall(call: number): Promise<ExplainedCall> {
    checkValue('explainCall', 'call', call);
    const { requests, thread, rules } = this.#of;
    if (!this.calls.some((one) => one.call === call)) await requests.load();
    const record = this.calls.findLast((one) => one.call === call);
    return explainCall(record, call, thread, rules.pins);
  }

  /** Whether words reached the model in a call: compacted out, or ignored? The newest call where none is named. */
  async find(words: string, call?: number): Promise<Finding> {
    checkValue('find', 'words', words);
    if (call === undefined && this.calls.length === 0) await this.#of.requests.load();
    return findIn(await this.explainCall(call ?? this.calls.at(-1)?.call ?? 0), words, this.#of.thread);
  }

  /** The whole log as operators see it: what the model is shown and, with `includeSuperseded`, what it is not. */
  async transcript(
    options: { readonly includeSuperseded?: boolean } = {},
  ): Promise<readonly TranscriptEntry[]> {
    checkOptions('session.operator.transcript', options);
    return transcriptOf(this.#of.thread, this.explain(), options.includeSuperseded ?? false);
  }

  /** What each compaction costs and saves, held against the usage reported after it. Of a session opened again: after `load`. */
  get netCosts(): readonly NetCost[] {
    return netCostsOf(this.#of.thread.ledger, this.calls, this.#of.priceOf);
  }
}
