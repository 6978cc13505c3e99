import { SpillwayError } from '../../errors/index.js';
import { planNothing, rejudge } from '../../pipeline/index.js';
import type { Reading } from '../../tokens/index.js';
import {
  endsOf,
  movedOn,
  type CompactionRecord,
  type Plan,
  type PlannedEdit,
  type Projection,
  type StageOutcome,
} from '../../transcript/index.js';
import { editsHeld, HOLDS_RELEASED } from '../relax-if-stuck.js';
import { belowThreshold, type Prepared } from '../prepared.js';
import type { FilledRun } from '../planner.js';
import { manualRunOptions, type RunOverrides } from '../policies.js';
import type { Pieces } from '../wiring.js';
import { inSlices } from '../slices.js';
import { removedIdsOf, reportEnded, reportPending } from '../run-events.js';
import {
  boughtHere,
  BOUGHT_KIND,
  checkHasEdits,
  checkHash,
  noteBought,
  reworded,
  type Bought,
} from './plan-values.js';

/** What a compaction would do. The plan of a `noop` has no edits and cannot be committed; `unreachable` has no plan. */
export interface DryRun {
  readonly kind: 'planned' | 'noop' | 'unreachable';
  readonly reason: string;
  readonly plan?: Plan;
  readonly before: Reading;
  readonly after: Reading;
  readonly stages: readonly StageOutcome[];
  /** Summarizer calls for its text, and the slots that kept their deterministic form. */
  readonly calls: CompactionRecord['calls'];
  readonly fallbacks: CompactionRecord['fallbacks'];
  readonly error?: SpillwayError;
}

/** Changes of an operator to a plan. */
export interface PlanChanges {
  /** Indexes in `plan.edits` of the edits to leave out. */
  readonly without?: readonly number[];
  /** Ids of messages that remain unchanged: every edit that touches one is left out. */
  readonly keep?: readonly string[];
  /** New texts for the replacements of parts or spans, by index of the edit. */
  readonly text?: Readonly<Record<number, string>>;
}

/** The operator's work with plans: make, show, change, commit and reject them. */
export class Plans {
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'clock'
      | 'commits'
      | 'follower'
      | 'gauge'
      | 'history'
      | 'hooks'
      | 'persistence'
      | 'planner'
      | 'policies'
      | 'stream'
      | 'summarizer'
      | 'thread'
      | 'triggers'
    >,
  ) {}

  /** Makes a plan. Its costs are stored even if it is never committed, and are not lost if the store is unavailable. */
  async dryRun({ signal, ...overrides }: RunOverrides & { readonly signal?: AbortSignal }): Promise<DryRun> {
    const { thread, gauge, planner, policies, persistence } = this.pieces;
    await gauge.loading;
    const tuned = await policies.tune(overrides);
    // A dry run must answer even while a write hangs.
    if (!persistence.journal?.hasUnsaved) await persistence.catchUp();
    const { policy, filler, budget } = tuned;
    const { trigger, target, threshold = 0 } = manualRunOptions(overrides, tuned);
    await inSlices(thread.reader.catchUpInSteps());
    const before = gauge.scale(budget)(thread.projection);
    const run = {
      ...planner.input(trigger, budget),
      policy: { ...policy, target },
      forced: true,
      ...(filler && { asksModel: true }),
    };
    const { outcome, bought, answers }: FilledRun =
      before.pressure < threshold
        ? { outcome: { kind: 'noop', reason: belowThreshold(threshold).reason, stages: [] } }
        : await planner.plan(run, { filler, signal });
    const chain = answers?.chain ?? [];
    if (outcome.kind !== 'planned') {
      const { kind, stages } = outcome;
      const why =
        kind === 'noop'
          ? { reason: outcome.reason, plan: planNothing(run, stages) }
          : { reason: outcome.error.message, error: outcome.error };
      return { kind, ...why, stages, before, after: before, calls: [], fallbacks: chain };
    }
    const { plan, after } = outcome;
    const { stages } = plan;
    const textCosts = { calls: bought?.calls ?? [], fallbacks: [...chain, ...(bought?.fallbacks ?? [])] };
    noteBought(this.pieces.audit, plan.hash, { ...bought, ...textCosts });
    if (textCosts.calls.length > 0) await persistence.record([]).catch(() => undefined);
    return { kind: 'planned', reason: trigger.detail, plan, before, after, stages, ...bought, ...textCosts };
  }

  /** Commits a plan, and tells plugins. */
  async commitAndNotify(commit: () => Promise<CompactionRecord>): Promise<CompactionRecord> {
    const before = this.pieces.hooks.viewBefore;
    const record = await commit();
    if (before) await this.pieces.hooks.after(before, { reason: record.plan.trigger.detail, record });
    return record;
  }

  /** Throws `PLAN_ALTERED` and `LEDGER_CONFLICT`, like a commit. */
  preview(plan: Plan): Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'> {
    const draft = this.#draftOf(plan);
    const [{ view }, reading] = [draft, this.pieces.gauge.read(draft)];
    const { messages, beside = {}, notices } = this.pieces.follower.serialise(view);
    return { messages: [...messages], beside, notices, reading, view };
  }

  /** `spent`: the costs of the plan's text. */
  commit(plan: Plan, textCosts = boughtHere(this.pieces.audit, plan)): CompactionRecord {
    checkHasEdits(plan);
    const { audit, stream, thread, commits } = this.pieces;
    const { ledger, memory, projection: before } = thread;
    const draft = this.#draftOf(plan);
    const waiting = ledger.pending?.plan.hash === plan.hash ? ledger.pending : undefined;
    const states = waiting?.states ? new Map(Object.entries(waiting.states)) : memory.stageStates;
    const { calls = [], fallbacks = [] } = waiting ?? {};
    const waited = waiting && { calls, fallbacks };
    const bought = calls.length > 0 ? waited : (textCosts ?? waited);
    const record = commits.commit(
      { plan, draft, states, stageMs: {} },
      { kind: 'compaction', durationMs: 0, bought },
    );
    // Taken before any event is emitted, because a listener may roll the log back.
    const removedIds = removedIdsOf(before, thread);
    if (waiting) {
      audit.add('approved', plan.hash, { record: record.id });
      stream.emit({ kind: 'approved', plan: plan.hash, recordId: record.id });
    }
    const { stages, trigger } = plan;
    const report = { kind: 'committed', reason: trigger.detail, stages, record, durationMs: 0 } as const;
    if (record.warnings?.includes(HOLDS_RELEASED)) stream.emit({ kind: 'warning', ...HOLDS_RELEASED });
    reportEnded(this.pieces, report, removedIds);
    return record;
  }

  /** Lets a plan wait for approval. `spent`: the costs of its text. Throws the errors of a commit. */
  propose(plan: Plan, textCosts: Bought | undefined): void {
    const { clock } = this.pieces;
    checkHasEdits(plan);
    this.#draftOf(plan);
    const proposal = { plan, at: clock(), ...textCosts };
    this.pieces.thread.ledger.play({ kind: 'propose', proposal });
    reportPending(this.pieces, plan, { reason: plan.trigger.detail });
  }

  /** Commits the waiting plan as it was shown. Throws `PLAN_UNKNOWN` if it no longer waits. */
  approve(hash: string): CompactionRecord {
    return this.commit(this.pieces.history.waitingPlan(hash).plan);
  }

  /** Throws `PLAN_UNKNOWN` if the plan no longer waits. */
  reject(hash: string, notes: string | undefined): void {
    const { audit, history, stream, thread, triggers } = this.pieces;
    const { plan } = history.waitingPlan(hash);
    thread.ledger.play({ kind: 'reject', plan: plan.hash, ...(notes !== undefined && { notes }) });
    stream.recordSpent(triggers.spent);
    audit.add('rejected', plan.hash, { notes });
    stream.emit({ kind: 'rejected', plan: plan.hash });
  }

  /** Replaces the waiting plan with an edited one. Throws `PLAN_UNKNOWN` if the plan no longer waits. */
  editWaiting(plan: Plan, changes: PlanChanges): Plan {
    const { audit, clock } = this.pieces;
    const waiting = this.pieces.history.waitingPlan(plan.hash);
    const edited = this.edit(plan, changes);
    this.pieces.thread.ledger.play({ kind: 'propose', proposal: { ...waiting, plan: edited, at: clock() } });
    audit.add('edited', edited.hash, { was: plan.hash });
    return edited;
  }

  /** Makes a changed plan, which is checked and measured again. */
  edit(plan: Plan, changes: PlanChanges): Plan {
    checkHash(plan);
    const { without = [], keep = [], text = {} } = changes;
    if (this.pieces.thread.log.find(plan.inputs.logEnd ?? '')) this.#checkLog(plan);
    const kept = keep.map((id) => this.#seqOf(id));
    const edits = plan.edits.flatMap((edit, place): PlannedEdit[] => {
      if (without.includes(place) || kept.some((seq) => this.#touches(edit, seq))) return [];
      const words = text[place];
      return [words === undefined ? edit : reworded(edit, words)];
    });
    const { ledger, log } = this.pieces.thread;
    const input = this.pieces.planner.input(plan.trigger);
    const holds = editsHeld(plan.edits, ledger.holds, log) ? [] : ledger.holds;
    const edited = rejudge({ ...input, source: { ...input.source, holds } }, plan, edits).plan;
    const textCosts = boughtHere(this.pieces.audit, plan);
    if (textCosts && edited.hash !== plan.hash) noteBought(this.pieces.audit, edited.hash, textCosts);
    return edited;
  }

  /** The costs of a plan's text, for the record of its commit, even if another process noted them. */
  async boughtFor(plan: Plan): Promise<Bought | undefined> {
    const here = boughtHere(this.pieces.audit, plan);
    if (here || !this.pieces.summarizer.filler) return here;
    const noted = await this.pieces.persistence.newestEvent(BOUGHT_KIND, plan.hash);
    return noted?.body as unknown as Bought | undefined;
  }

  /** The view after a plan. */
  #draftOf(plan: Plan): Projection {
    const { ledger, projection } = this.pieces.thread;
    checkHash(plan);
    if (plan.base !== ledger.head) throw movedOn('plan base', plan.base, ledger.head);
    for (const edit of plan.edits) for (const id of endsOf(edit)) this.#seqOf(id);
    this.#checkLog(plan);
    const draft = projection.fork();
    draft.apply(plan.edits);
    return draft;
  }

  /** Throws if other processes stored messages in between: a span would hold messages that its text does not cover. */
  #checkLog({ inputs: { logEnd, logLength } }: Plan): void {
    const place = logEnd === undefined ? logLength - 1 : this.pieces.thread.log.find(logEnd)?.seq;
    if (place !== logLength - 1) throw movedOn(`place of ${logEnd}, once last`, place, `${logLength - 1}`);
  }

  #seqOf(id: string): number {
    const message = this.pieces.thread.log.find(id);
    if (message) return message.seq;
    throw new SpillwayError('MESSAGE_UNKNOWN', {
      subject: 'message of a plan',
      found: id,
      remedy: 'Use plans in the session they were made for.',
    });
  }

  #touches(edit: PlannedEdit, seq: number): boolean {
    const [first, last] = endsOf(edit);
    return seq >= this.#seqOf(first) && seq <= this.#seqOf(last);
  }
}
