import type { StoredEvent } from '../../spi/index.js';
import type { CompactionRecord, Ledger, Plan, ReadonlyLog, WaitingPlan } from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import { explainView, type Disposition } from './explain.js';
import { pendingEvent } from '../announce.js';
import { Keeping } from '../kept/keeping.js';
import {
  flagRecord,
  lengthUpTo,
  named,
  rollBack,
  takeBack,
  waitingFor,
  type Flag,
  type UndoRequest,
} from './operator.js';
import {
  approvePlan,
  commitPlan,
  dryRun,
  editPlan,
  editWaiting,
  previewPlan,
  rejectPlan,
  type DryRun,
  type PlanChanges,
} from './plans.js';
import { netCostsOf, type NetCost } from '../net-cost.js';
import { explainCall, findIn, type ExplainedCall, type Finding } from './past.js';
import type { Prepared } from '../prepared.js';
import { Recall, type Recalled, type RecallRequest } from '../recall/index.js';
import { createState, type AgentState, type SessionParts } from '../state.js';
import type { OpenedThread } from '../kept/thread.js';
import { transcriptOf, type TranscriptEntry } from './transcript-view.js';

/** What an operator sees of a session and can do to it: its history, plans as values, undo, judgements. */
export abstract class OperatedSession {
  abstract get calls(): readonly CallRecord[];
  protected abstract takePast(calls: readonly CallRecord[]): void;

  readonly id: string;
  readonly agentPath: string;
  /** Name of the wire format that its requests are read and written in. */
  readonly format: string;
  protected readonly parts: SessionParts;
  protected readonly state: AgentState;
  protected readonly keeping: Keeping;

  readonly #recall: Recall;

  /** `opened`: where it is kept; without it the session lives as long as the process. */
  constructor(parts: SessionParts, opened?: OpenedThread) {
    this.parts = parts;
    this.id = parts.id;
    this.agentPath = parts.agentPath;
    this.format = parts.format;
    this.state = opened?.state ?? createState(parts);
    this.keeping = new Keeping(this.state, parts, opened);
    this.#recall = new Recall(this.state, parts, this.keeping);
  }

  /** As far as it was read: a session that was opened again holds its live tail until `load`. */
  get log(): ReadonlyLog {
    return this.state.log;
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.state.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. Of a session opened again: after `load`. */
  get history(): readonly CompactionRecord[] {
    return this.state.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** The plan that waits for a yes; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.state.ledger.pending;
  }

  /** Reads the rest of a session that was opened again. Runs, undo, explain and recall do so by themselves. */
  async load(): Promise<this> {
    await this.keeping.load();
    this.takePast(await this.keeping.calls());
    return this;
  }

  /** What became of every message of the log, by whom and why. Of a session opened again: after `load`. */
  explain(): Disposition[] {
    const { log, projection, isPinned } = this.state;
    return explainView(log, projection.view, isPinned);
  }

  /** What a compaction would do now, decided as one would be, text and all. Changes nothing; always answers. */
  async plan(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    await this.keeping.load();
    return dryRun(this.state, this.parts, options);
  }

  /** The request that a plan would give, without it being committed. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    await this.keeping.load();
    return previewPlan(plan, this.state, this.parts);
  }

  /** A plan with other words, or without some of its edits; judged and measured again on the ledger of now. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    await this.keeping.load();
    const waits = this.pending?.plan.hash === plan.hash;
    if (!waits) return editPlan(plan, changes, this.state, this.parts);
    return this.keeping.change(() => editWaiting(plan, changes, this.state, this.parts));
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it pause until then. */
  async propose(plan: Plan): Promise<void> {
    const proposal: WaitingPlan = { plan, at: this.parts.clock() };
    await this.keeping.change(() => {
      this.state.ledger.play({ kind: 'propose', proposal });
      this.parts.audit.say('pending', plan.hash, { reason: plan.trigger.detail });
      this.parts.stream.emit(pendingEvent(plan));
    });
  }

  /** Commits exactly this plan. Rejects with `LEDGER_CONFLICT` where the ledger moved on since it was made. */
  commit(plan: Plan): Promise<CompactionRecord> {
    return this.keeping.change(() => commitPlan(plan, this.state, this.parts));
  }

  /** Says yes to the plan that waits, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    await this.keeping.load();
    const { plan } = waitingFor(this.state, hash);
    return this.keeping.change(() => approvePlan(plan.hash, this.state, this.parts));
  }

  /** Says no: the plan goes, and nothing is compacted until something new comes in. */
  async reject(hash?: string, notes?: string): Promise<void> {
    await this.keeping.load();
    const { plan } = waitingFor(this.state, hash);
    await this.keeping.change(() => rejectPlan(plan.hash, notes, this.state, this.parts));
  }

  /**
   * Takes the newest compaction back, or with `to` that one and all after it; their spans are held, so that nothing
   * compacts them again until released. Naming one with `record` that later ones build on is refused with
   * `UNDO_BLOCKED`, which names them. Newest first; empty where nothing is live, or another process was first.
   */
  undo(of: UndoRequest = {}): Promise<readonly CompactionRecord[]> {
    let meant = of;
    return this.keeping.change(() => {
      // Decided anew because another was first, it is still the compaction that was seen, not the one before it.
      meant = named(meant, this.state);
      return takeBack(meant, this.state, this.parts);
    });
  }

  /** Lets go of every hold that undoing left. */
  release(): Promise<void> {
    return this.keeping.change(() => this.state.ledger.release());
  }

  /**
   * Goes back to a message: what came after it is left out from here on, and what later compactions had superseded
   * stands again. Nothing is deleted. Rejects with `MESSAGE_UNKNOWN`.
   */
  rollback(toMessageId: string): Promise<readonly CompactionRecord[]> {
    return this.keeping.changeStored(() =>
      rollBack(lengthUpTo(toMessageId, this.state), this.state, this.parts),
    );
  }

  /** As `rollback`, to a length of the log; 0 leaves out everything. */
  rewind(length: number): Promise<readonly CompactionRecord[]> {
    return this.keeping.changeStored(() => rollBack(length, this.state, this.parts));
  }

  /** An operator's judgement of a compaction. Rejects with `RECORD_UNKNOWN`. */
  flag(recordId: string, flag: Flag, notes?: string): Promise<CompactionRecord> {
    return this.keeping.change(() => flagRecord(recordId, flag, notes, this.state, this.parts));
  }

  /** Tells listeners that a store failed where nothing waits for it; what was to be stored waits for the next write. */
  storeFailed(error: unknown): void {
    this.parts.stream.emit({ kind: 'store-failed', error });
  }

  /**
   * Forgets the limits that refusals taught of the model that is talked to: in this session and in its store. Sessions
   * that are open elsewhere keep to them until they are opened again.
   */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.parts;
    audit.say('limits-forgotten', undefined, { model: gauge.model, ...gauge.learned });
    gauge.forget(gauge.model);
    await this.keeping.forgotten(gauge.model);
  }

  /** What happened to compaction here, in order: since it was opened, or ever where it is kept. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.keeping.audit();
  }

  /** Reads back the original words of anything in the log, superseded or not: by handle, or best matches first. */
  recall(request: RecallRequest): Promise<readonly Recalled[]> {
    return this.#recall.find(request);
  }

  /** What a call was sent, message by message: kept, replaced, superseded or pinned, by which compaction and why. */
  async explainCall(call: number): Promise<ExplainedCall> {
    await this.keeping.load();
    const record = this.calls.find((one) => one.call === call) ?? (await this.keeping.call(call));
    return explainCall(record, call, this.state, this.parts);
  }

  /** Whether words reached the model in a call: compacted out, or ignored? The newest call where none is named. */
  async find(words: string, call?: number): Promise<Finding> {
    if (call === undefined && this.calls.length === 0) await this.load();
    return findIn(await this.explainCall(call ?? this.calls.at(-1)?.call ?? 0), words, this.state);
  }

  /** The whole log as operators see it: what the model is shown and, with `includeSuperseded`, what it is not. */
  async transcript({ includeSuperseded = false } = {}): Promise<readonly TranscriptEntry[]> {
    await this.keeping.load();
    return transcriptOf(this.state, this.explain(), includeSuperseded);
  }

  /** What each compaction costs and saves, held against the usage reported after it. Of a session opened again: after `load`. */
  get netCosts(): readonly NetCost[] {
    return netCostsOf(this.state.ledger, this.calls, this.parts.priceOf);
  }
}
