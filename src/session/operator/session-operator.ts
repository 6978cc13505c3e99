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
import { manualRunOptions, type RunOverrides } from '../policies.js';
import type { Pieces } from '../wiring.js';

/** The operator's side of a session: history, plans as values, undo, flags, costs. */
export class SessionOperator {
  readonly #pieces: Pieces;

  /** @hidden Each session has one. */
  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  /** Prepared requests, newest last: those since the session was opened, and after `load` all that were observed. */
  get calls(): readonly CallRecord[] {
    return this.#pieces.requests.calls;
  }

  /** The costs of the agent's own observed calls, and of its compaction. */
  get costs(): Costs {
    return this.#pieces.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#pieces.summarizer.filler?.breakers ?? {};
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#pieces.thread.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. */
  get history(): readonly CompactionRecord[] {
    return this.#pieces.thread.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** The plan that waits for approval; undefined if there is none. */
  get pending(): WaitingPlan | undefined {
    return this.#pieces.thread.ledger.pending;
  }

  /** The state of every message of the log, with the stage that changed it and why. */
  explain(): ExplainedMessage[] {
    const { log, projection, isPinned, ledger } = this.#pieces.thread;
    return withRecords(explainView(log, projection.view, isPinned), ledger.live, log);
  }

  /**
   * Compacts now, without waiting for a gate, down to `target` (a pressure; by default that of the policy). The other
   * overrides hold for this run only. Rejects with `CONFIG_INVALID` if a value is not valid, and with
   * `CALL_WITHIN_CALL` if it is called within a request of the session.
   */
  async compact(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    checkOptions('session.operator.compact', options);
    const { signal, ...overrides } = options;
    const { line, policies, runs } = this.#pieces;
    const { trigger, ...how } = manualRunOptions(overrides, await policies.tune(overrides));
    // The request of a call in progress is not rewritten before it is answered.
    await line.idle();
    return runs.compact(trigger, { ...how, signal });
  }

  /**
   * Queues a compaction as a marker in the log: the next `prepare` executes it, even after a restart. `auto`: the host
   * queues it automatically, so the agent may be told to go on afterwards, which does not happen for an operator.
   */
  async queue(options: { readonly auto?: boolean } = {}): Promise<void> {
    checkOptions('session.operator.queue', options);
    return this.#pieces.inbox.queue(options.auto ?? false);
  }

  /** Plans a compaction as a real one would, including its text. Changes nothing; always answers. */
  async plan(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    checkOptions('session.operator.plan', options);
    return this.#pieces.plans.dryRun(options);
  }

  /** The request that a plan would give, without a commit. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    checkValue('preview', 'plan', plan);
    return this.#pieces.plans.preview(plan);
  }

  /** A plan with other texts or without some edits; it is checked and measured again on the present ledger. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    checkValue('edit', 'plan', plan);
    checkChanges(plan, changes);
    if (this.pending?.plan.hash !== plan.hash) return this.#pieces.plans.edit(plan, changes);
    return this.#pieces.persistence.change(() => this.#pieces.plans.editWaiting(plan, changes));
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it wait until then. Rejects like `commit`. */
  async propose(plan: Plan): Promise<void> {
    checkValue('propose', 'plan', plan);
    const { plans, persistence } = this.#pieces;
    const textCosts = await plans.boughtFor(plan);
    await persistence.change(() => plans.propose(plan, textCosts));
  }

  /**
   * Commits exactly this plan. Rejects with `LEDGER_CONFLICT` if the ledger has changed since the plan was made, and
   * with `PLAN_ALTERED` if the plan was changed by hand.
   */
  async commit(plan: Plan): Promise<CompactionRecord> {
    checkValue('commit', 'plan', plan);
    const { plans, persistence } = this.#pieces;
    const textCosts = await plans.boughtFor(plan);
    return plans.commitAndNotify(() => persistence.change(() => plans.commit(plan, textCosts)));
  }

  /** Approves the waiting plan, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    const { history, persistence, plans } = this.#pieces;
    const { plan } = history.waitingPlan(hash);
    return plans.commitAndNotify(() => persistence.change(() => plans.approve(plan.hash)));
  }

  /** Rejects the waiting plan. No run starts until new messages arrive; above the budget the next call plans again. */
  async reject(hash?: string, notes?: string): Promise<void> {
    checkValue('reject', 'notes', notes ?? '');
    const { plan } = this.#pieces.history.waitingPlan(hash);
    await this.#pieces.persistence.change(() => this.#pieces.plans.reject(plan.hash, notes));
  }

  /**
   * Undoes the newest compaction, or with `to` that record and all later ones. Their spans are held: they are not
   * compacted again until released. Rejects with `UNDO_BLOCKED` if later records, which it names, build on `record`.
   * Returns the undone records, newest first; empty if none is in force, or another process undid them first.
   */
  async undo(request: UndoRequest = {}): Promise<readonly CompactionRecord[]> {
    checkOptions('session.operator.undo', request);
    checkValue('undo', 'record and to', request.to && request.record);
    let target = request;
    return this.#pieces.persistence.change(() => {
      // On a retry after a conflict this undoes the compaction first named, not whichever is newest by then.
      target = this.#pieces.history.withDefault(target);
      return this.#pieces.history.undo(target);
    });
  }

  /**
   * Adds original words to the end of the next request, marked as history. They remain, byte for byte, until a
   * compaction removes them. Returns the costs; with `preview` it does nothing else. Rejects with `GIVE_BACK_TOO_LARGE`
   * if no compaction could make room, with `MESSAGE_UNKNOWN`, and with `RECALL_INVALID`.
   */
  async giveBack(request: GiveBackRequest): Promise<WordsGivenBack> {
    checkOptions('session.operator.giveBack', request);
    checkValue('giveBack', 'handle', request.handle);
    return this.#pieces.giveBack.ask(request);
  }

  /** Words that were given back, oldest first, and whether the model has seen them. */
  givenBack(): Promise<readonly GivenBack[]> {
    return this.#pieces.giveBack.list();
  }

  /** Releases every hold that an undo left. */
  release(): Promise<void> {
    return this.#pieces.persistence.change(() => this.#pieces.thread.ledger.release());
  }

  /**
   * Rolls the log back to a message: later messages are left out from now on, and messages that later compactions
   * superseded are in view again. Nothing is deleted. Rejects with `MESSAGE_UNKNOWN`.
   */
  rollback(toMessageId: string): Promise<readonly CompactionRecord[]> {
    const { history, persistence } = this.#pieces;
    return persistence.changeStored(() => history.rollBack(history.lengthUpTo(toMessageId)));
  }

  /** Like `rollback`, to a length of the log; 0 leaves out everything. */
  async rewind(length: number): Promise<readonly CompactionRecord[]> {
    checkValue('rewind', 'length', length);
    return this.#pieces.persistence.changeStored(() => this.#pieces.history.rollBack(length));
  }

  /** Adds an operator's flag to a compaction. Rejects with `RECORD_UNKNOWN`. */
  async flag(recordId: string, flag: Flag, notes?: string): Promise<CompactionRecord> {
    checkValue('flag', 'notes', notes ?? '');
    return this.#pieces.persistence.change(() => this.#pieces.history.flag(recordId, flag, notes));
  }

  /**
   * Forgets the limits that refusals taught of the session's model, in this session and in its store. Sessions that are
   * open elsewhere keep the limits until they are opened again.
   */
  forgetLimits(): Promise<void> {
    return this.#pieces.persistence.forgetLimits();
  }

  /** The compaction events of the session in order: all if it has a store, otherwise those since it was opened. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.#pieces.persistence.audit();
  }

  /** The request of a call, message by message: kept, replaced, superseded or pinned, by which record and why. */
  async explainCall(call: number): Promise<ExplainedCall> {
    checkValue('explainCall', 'call', call);
    const { requests, thread, rules } = this.#pieces;
    if (!this.calls.some((one) => one.call === call)) await requests.load();
    const record = this.calls.findLast((one) => one.call === call);
    return explainCall(record, call, thread, rules.pins);
  }

  /** Whether words reached the model in a call, or were compacted out. Defaults to the newest call. */
  async find(words: string, call?: number): Promise<Finding> {
    checkValue('find', 'words', words);
    if (call === undefined && this.calls.length === 0) await this.#pieces.requests.load();
    return findIn(await this.explainCall(call ?? this.calls.at(-1)?.call ?? 0), words, this.#pieces.thread);
  }

  /** The transcript for operators: the messages that the model is shown and, with `includeSuperseded`, all others. */
  async transcript(
    options: { readonly includeSuperseded?: boolean } = {},
  ): Promise<readonly TranscriptEntry[]> {
    checkOptions('session.operator.transcript', options);
    return transcriptOf(this.#pieces.thread, this.explain(), options.includeSuperseded ?? false);
  }

  /** Costs and savings of each record, compared with the usage reported later. A reopened session needs `load`. */
  get netCosts(): readonly NetCost[] {
    return netCostsOf(this.#pieces.thread.ledger, this.calls, this.#pieces.priceOf);
  }
}
