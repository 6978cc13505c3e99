import type { Claim } from '../../reading/index.js';
import type { StoredEvent } from '../../spi/index.js';
import type { BreakerState } from '../../summarizers/index.js';
import type {
  CompactionRecord,
  Ledger,
  Message,
  Plan,
  Trigger,
  WaitingPlan,
} from '../../transcript/index.js';
import type { CallRecord } from '../calls.js';
import type { Costs } from '../costs.js';
import { explainView, type Disposition } from './explain.js';
import { pendingEvent } from '../announce.js';
import type { Persistence } from '../persistence/persistence.js';
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
import type { Prepared, RunReport } from '../prepared.js';
import { markerMessage } from '../queue.js';
import type { Requests } from '../requests.js';
import { mannerOf, type RunOverrides } from '../run-overrides.js';
import type { ManualRun } from '../runs.js';
import type { AgentState, SessionParts } from '../state.js';
import { transcriptOf, type TranscriptEntry } from './transcript-view.js';

/** What the operator's side needs of its session. */
export interface OperatorParts {
  readonly parts: SessionParts;
  readonly state: AgentState;
  readonly persistence: Persistence;
  readonly requests: Requests;
  readonly append: (message: Message) => Promise<void>;
  readonly load: () => Promise<unknown>;
  /** One run, after whatever is under way. */
  readonly compactNow: (trigger: Trigger, how: ManualRun) => Promise<RunReport>;
}

/** What an operator sees of a session and can do to it: its history, plans as values, undo, judgements, costs. */
export class SessionOperator {
  readonly #parts: SessionParts;
  readonly #state: AgentState;
  readonly #persistence: Persistence;
  readonly #requests: Requests;
  readonly #append: OperatorParts['append'];
  readonly #load: OperatorParts['load'];
  readonly #compactNow: OperatorParts['compactNow'];

  /** @hidden Each session has one. */
  constructor({ parts, state, persistence, requests, append, load, compactNow }: OperatorParts) {
    this.#parts = parts;
    this.#state = state;
    this.#persistence = persistence;
    this.#requests = requests;
    this.#append = append;
    this.#load = load;
    this.#compactNow = compactNow;
  }

  /** Requests that were prepared, newest last: since the session was opened, and after `load` all that were observed. */
  get calls(): readonly CallRecord[] {
    return this.#requests.calls;
  }

  /**
   * What the log says that may not be forgotten: rules, demands, decisions, steps, failures, checks, instructions, each
   * with where it stands and whether it still holds. Read from the log alone.
   */
  get claims(): readonly Claim[] {
    const { statements } = this.#state;
    statements.catchUp();
    return statements.claims;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.#parts.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.filler?.breakers ?? {};
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#state.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. Of a session opened again: after `load`. */
  get history(): readonly CompactionRecord[] {
    return this.#state.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** The plan that waits for a yes; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.#state.ledger.pending;
  }

  /** What became of every message of the log, by whom and why. Of a session opened again: after `load`. */
  explain(): Disposition[] {
    const { log, projection, isPinned } = this.#state;
    return explainView(log, projection.view, isPinned);
  }

  /**
   * Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). What else the
   * overrides say holds for this run alone. Rejects with `CONFIG_INVALID` where one of them is no such value.
   */
  async compact({
    signal,
    ...overrides
  }: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    const { trigger, ...how } = mannerOf(overrides, this.#parts.tuned(overrides));
    return this.#compactNow(trigger, { ...how, signal });
  }

  /**
   * Queues a compaction as a marker in the log: the next `prepare` executes it, also after a restart. `auto`: the host's
   * own doing, after which the agent may be told to go on; an operator's is not.
   */
  queue({ auto = false }: { readonly auto?: boolean } = {}): Promise<void> {
    const { clock } = this.#parts;
    return this.#append(markerMessage(`compaction:${this.#state.log.length}:${clock()}`, auto, clock()));
  }

  /** What a compaction would do now, decided as one would be, text and all. Changes nothing; always answers. */
  async plan(options: RunOverrides & { readonly signal?: AbortSignal } = {}): Promise<DryRun> {
    await this.#parts.gauge.loading;
    await this.#persistence.load();
    return dryRun(this.#state, this.#parts, options);
  }

  /** The request that a plan would give, without it being committed. */
  async preview(plan: Plan): Promise<Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'>> {
    await this.#persistence.load();
    return previewPlan(plan, this.#state, this.#parts);
  }

  /** A plan with other words, or without some of its edits; judged and measured again on the ledger of now. */
  async edit(plan: Plan, changes: PlanChanges = {}): Promise<Plan> {
    await this.#persistence.load();
    const waits = this.pending?.plan.hash === plan.hash;
    if (!waits) return editPlan(plan, changes, this.#state, this.#parts);
    return this.#persistence.change(() => editWaiting(plan, changes, this.#state, this.#parts));
  }

  /** Lets a plan wait for `approve` or `reject`; calls that need it pause until then. */
  async propose(plan: Plan): Promise<void> {
    const proposal: WaitingPlan = { plan, at: this.#parts.clock() };
    await this.#persistence.change(() => {
      this.#state.ledger.play({ kind: 'propose', proposal });
      this.#parts.audit.say('pending', plan.hash, { reason: plan.trigger.detail });
      this.#parts.stream.emit(pendingEvent(plan));
    });
  }

  /** Commits exactly this plan. Rejects with `LEDGER_CONFLICT` where the ledger moved on since it was made. */
  commit(plan: Plan): Promise<CompactionRecord> {
    return this.#persistence.change(() => commitPlan(plan, this.#state, this.#parts));
  }

  /** Says yes to the plan that waits, which is then committed as it was shown. */
  async approve(hash?: string): Promise<CompactionRecord> {
    await this.#persistence.load();
    const { plan } = waitingFor(this.#state, hash);
    return this.#persistence.change(() => approvePlan(plan.hash, this.#state, this.#parts));
  }

  /** Says no: the plan goes, and nothing is compacted until something new comes in. */
  async reject(hash?: string, notes?: string): Promise<void> {
    await this.#persistence.load();
    const { plan } = waitingFor(this.#state, hash);
    await this.#persistence.change(() => rejectPlan(plan.hash, notes, this.#state, this.#parts));
  }

  /**
   * Takes the newest compaction back, or with `to` that one and all after it; their spans are held, so that nothing
   * compacts them again until released. Naming one with `record` that later ones build on is refused with
   * `UNDO_BLOCKED`, which names them. Newest first; empty where nothing is live, or another process was first.
   */
  undo(of: UndoRequest = {}): Promise<readonly CompactionRecord[]> {
    let meant = of;
    return this.#persistence.change(() => {
      // Decided anew because another was first, it is still the compaction that was seen, not the one before it.
      meant = named(meant, this.#state);
      return takeBack(meant, this.#state, this.#parts);
    });
  }

  /** Lets go of every hold that undoing left. */
  release(): Promise<void> {
    return this.#persistence.change(() => this.#state.ledger.release());
  }

  /**
   * Goes back to a message: what came after it is left out from here on, and what later compactions had superseded
   * stands again. Nothing is deleted. Rejects with `MESSAGE_UNKNOWN`.
   */
  rollback(toMessageId: string): Promise<readonly CompactionRecord[]> {
    return this.#persistence.changeStored(() =>
      rollBack(lengthUpTo(toMessageId, this.#state), this.#state, this.#parts),
    );
  }

  /** As `rollback`, to a length of the log; 0 leaves out everything. */
  rewind(length: number): Promise<readonly CompactionRecord[]> {
    return this.#persistence.changeStored(() => rollBack(length, this.#state, this.#parts));
  }

  /** An operator's judgement of a compaction. Rejects with `RECORD_UNKNOWN`. */
  flag(recordId: string, flag: Flag, notes?: string): Promise<CompactionRecord> {
    return this.#persistence.change(() => flagRecord(recordId, flag, notes, this.#state, this.#parts));
  }

  /**
   * Forgets the limits that refusals taught of the model that is talked to: in this session and in its store. Sessions
   * that are open elsewhere keep to them until they are opened again.
   */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.#parts;
    audit.say('limits-forgotten', undefined, { model: gauge.model, ...gauge.learned });
    gauge.forget(gauge.model);
    await this.#persistence.forgotten(gauge.model);
  }

  /** What happened to compaction here, in order: since it was opened, or ever where it is kept. */
  audit(): Promise<readonly StoredEvent[]> {
    return this.#persistence.audit();
  }

  /** What a call was sent, message by message: kept, replaced, superseded or pinned, by which compaction and why. */
  async explainCall(call: number): Promise<ExplainedCall> {
    await this.#persistence.load();
    const record = this.calls.find((one) => one.call === call) ?? (await this.#persistence.call(call));
    return explainCall(record, call, this.#state, this.#parts);
  }

  /** Whether words reached the model in a call: compacted out, or ignored? The newest call where none is named. */
  async find(words: string, call?: number): Promise<Finding> {
    if (call === undefined && this.calls.length === 0) await this.#load();
    return findIn(await this.explainCall(call ?? this.calls.at(-1)?.call ?? 0), words, this.#state);
  }

  /** The whole log as operators see it: what the model is shown and, with `includeSuperseded`, what it is not. */
  async transcript({ includeSuperseded = false } = {}): Promise<readonly TranscriptEntry[]> {
    await this.#persistence.load();
    return transcriptOf(this.#state, this.explain(), includeSuperseded);
  }

  /** What each compaction costs and saves, held against the usage reported after it. Of a session opened again: after `load`. */
  get netCosts(): readonly NetCost[] {
    return netCostsOf(this.#state.ledger, this.calls, this.#parts.priceOf);
  }
}
