import type { StoredEvent } from '../../spi/index.js';
import type { BreakerState } from '../../summarizers/index.js';
import type { ClaimEnd, CompactionRecord, Ledger, Plan, WaitingPlan } from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import type { Costs } from '../costs.js';
import { checkChanges, checkOptions, checkValue } from '../arguments.js';
import { explainView } from './explain.js';
import type { Flag, UndoRequest } from './history.js';
import { BOUGHT_KIND } from './bought-plans.js';
import { Claims, type ClaimAct, type KnownClaim, type KnownFile } from './claims.js';
import type { OperatorParts } from './operator-parts.js';
import type { DryRun, PlanChanges } from './plans.js';
import { netCostsOf, type NetCost } from '../net-cost.js';
import {
  explainCall,
  findIn,
  withEnded,
  withRecords,
  type ExplainedCall,
  type ExplainedMessage,
  type Finding,
} from './past.js';
import type { Prepared, RunReport } from '../prepared.js';
import { markerMessage } from '../own-messages.js';
import { mannerOf, type RunOverrides } from '../run-overrides.js';
import { transcriptOf, type TranscriptEntry } from './transcript-view.js';

/** What an operator sees of a session and can do to it: its history, plans as values, undo, judgements, costs. */
export class SessionOperator {
  readonly #of: OperatorParts;
  readonly #claims: Claims;

  /** @hidden Each session has one. */
  constructor(of: OperatorParts) {
    this.#of = of;
    this.#claims = new Claims(of);
  }

  /** Requests that were prepared, newest last: since the session was opened, and after `load` all that were observed. */
  get calls(): readonly CallRecord[] {
    return this.#of.requests.calls;
  }

  /** What the log says that may not be forgotten, each with where it stands and whether it still holds. */
  get claims(): readonly KnownClaim[] {
    return this.#claims.all;
  }

  /** Files that calls touched, in the order in which they were first named. Positions are those of the calls. */
  get files(): readonly KnownFile[] {
    return this.#claims.files;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.#of.parts.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#of.parts.filler?.breakers ?? {};
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#of.thread.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. Of a session opened again: after `load`. */
  get history(): readonly CompactionRecord[] {
    return this.#of.thread.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** The plan that waits for a yes; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.#of.thread.ledger.pending;
  }

  /** What became of every message of the log, by whom and why. Of a session opened again: after `load`. */
  explain(): ExplainedMessage[] {
    const { log, projection, isPinned, ledger } = this.#of.thread;
    const messages = withRecords(explainView(log, projection.view, isPinned), ledger.live, log);
    return withEnded(messages, this.#claims.endedIn(ledger.endedClaims));
  }

  /**
   * Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). What else the
   * overrides say holds for this run alone. Rejects with `CONFIG_INVALID` where one of them is no such value.
   */
  async compact(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    checkOptions('session.operator.compact', options);
    const { signal, ...overrides } = options;
    const { trigger, ...how } = mannerOf(overrides, this.#of.parts.tuned(overrides));
    return this.#of.compactNow(trigger, { ...how, signal });
  }

  /**
   * Queues a compaction as a marker in the log: the next `prepare` executes it, also after a restart. `auto`: the host's
   * own doing, after which the agent may be told to go on; an operator's is not.
   */
  async queue(options: { readonly auto?: boolean } = {}): Promise<void> {
    checkOptions('session.operator.queue', options);
    const [{ auto = false }, { clock, stream }] = [options, this.#of.parts];
    stream.emit({ kind: 'queued', auto });
    return this.#of.append(
      markerMessage(`compaction:${this.#of.thread.log.length}:${clock()}`, auto, clock()),
    );
  }

  /** What a compaction would do now, decided as one would be, text and all. Changes nothing; always answers. */
  async plan(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    checkOptions('session.operator.plan', options);
    await this.#of.parts.gauge.loading;
    await this.#of.persistence.load();
    const run = await this.#of.plans.dryRun(options);
    // What was spent is stored whether or not the plan is ever committed; a store that is away does not lose the plan.
    if (run.calls && run.calls.length > 0) await this.#of.persistence.record([]).catch(() => undefined);
    return run;
  }

  /** The request that a plan would give, without it being committed. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    checkValue('preview', 'plan', plan);
    await this.#of.persistence.load();
    return this.#of.plans.preview(plan);
  }

  /** A plan with other words, or without some of its edits; judged and measured again on the ledger of now. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    checkValue('edit', 'plan', plan);
    checkChanges(plan, changes);
    await this.#of.persistence.load();
    if (this.pending?.plan.hash !== plan.hash) return this.#of.plans.edit(plan, changes);
    return this.#of.persistence.change(() => this.#of.plans.editWaiting(plan, changes));
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it pause until then. Rejects as `commit` does. */
  async propose(plan: Plan): Promise<void> {
    checkValue('propose', 'plan', plan);
    await this.#rememberBought(plan);
    await this.#of.persistence.change(() => this.#of.plans.propose(plan));
  }

  /**
   * Commits exactly this plan. Rejects with `LEDGER_CONFLICT` where the ledger moved on since it was made, and with
   * `PLAN_ALTERED` where it is not the plan that was made.
   */
  async commit(plan: Plan): Promise<CompactionRecord> {
    checkValue('commit', 'plan', plan);
    await this.#rememberBought(plan);
    return this.#of.plans.commitAndTell(() => this.#of.persistence.change(() => this.#of.plans.commit(plan)));
  }

  /** What another process bought for a plan belongs to its record as well. */
  async #rememberBought({ hash }: Plan): Promise<void> {
    const { bought } = this.#of.plans;
    if (!this.#of.parts.filler || bought.of(hash)) return;
    bought.restore(await this.#of.persistence.audit([BOUGHT_KIND], hash));
  }

  /** Says yes to the plan that waits, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    await this.#of.persistence.load();
    const { plan } = this.#of.history.waitingFor(hash);
    return this.#of.plans.commitAndTell(() =>
      this.#of.persistence.change(() => this.#of.plans.approve(plan.hash)),
    );
  }

  /** Says no: the plan goes, and nothing is compacted until something new comes in. Above the budget the next call plans again. */
  async reject(hash?: string, notes?: string): Promise<void> {
    checkValue('reject', 'notes', notes ?? '');
    await this.#of.persistence.load();
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
   * Ends a claim by hand, named by its `ref`: the next commit carries it no more, and says so where its words still stand.
   * Said again, it is another claim. Ended twice, the first end stands. Rejects with `CLAIM_UNKNOWN`, `CLAIM_ENDED`.
   */
  async endClaim(ref: string, act: ClaimAct = {}): Promise<ClaimEnd> {
    checkValue('endClaim', 'claim', ref);
    checkOptions('session.operator.endClaim', act);
    return this.#of.persistence.change(() => this.#claims.end(ref, act));
  }

  /** Takes an `endClaim` back: the next commit carries the claim again. */
  async restoreClaim(ref: string, act: ClaimAct = {}): Promise<void> {
    checkValue('restoreClaim', 'claim', ref);
    checkOptions('session.operator.restoreClaim', act);
    return this.#of.persistence.change(() => this.#claims.restore(ref, act));
  }

  /**
   * Forgets the limits that refusals taught of the model that is talked to: in this session and in its store. Sessions
   * that are open elsewhere keep to them until they are opened again.
   */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.#of.parts;
    audit.say('limits-forgotten', undefined, { model: gauge.model, ...gauge.learned });
    gauge.forget(gauge.model);
    await this.#of.persistence.forgotten(gauge.model);
  }

  /** What happened to compaction here, in order: since it was opened, or ever where it is kept. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.#of.persistence.audit();
  }

  /** What a call was sent, message by message: kept, replaced, superseded or pinned, by which compaction and why. */
  async explainCall(call: number): Promise<ExplainedCall> {
    checkValue('explainCall', 'call', call);
    await this.#of.persistence.load();
    const record = this.calls.find((one) => one.call === call) ?? (await this.#of.persistence.call(call));
    return explainCall(record, call, this.#of.thread, this.#of.parts.pins, this.#claims);
  }

  /** Whether words reached the model in a call: compacted out, or ignored? The newest call where none is named. */
  async find(words: string, call?: number): Promise<Finding> {
    checkValue('find', 'words', words);
    if (call === undefined && this.calls.length === 0) await this.#of.load();
    return findIn(await this.explainCall(call ?? this.calls.at(-1)?.call ?? 0), words, this.#of.thread);
  }

  /** The whole log as operators see it: what the model is shown and, with `includeSuperseded`, what it is not. */
  async transcript(
    options: { readonly includeSuperseded?: boolean } = {},
  ): Promise<readonly TranscriptEntry[]> {
    checkOptions('session.operator.transcript', options);
    const { includeSuperseded = false } = options;
    await this.#of.persistence.load();
    return transcriptOf(this.#of.thread, this.explain(), includeSuperseded);
  }

  /** What each compaction costs and saves, held against the usage reported after it. Of a session opened again: after `load`. */
  get netCosts(): readonly NetCost[] {
    return netCostsOf(this.#of.thread.ledger, this.calls, this.#of.parts.priceOf);
  }
}
