import { SpillwayError } from '../../errors/index.js';
import { hashPlan, rejudge } from '../../pipeline/index.js';
import type { Reading } from '../../tokens/index.js';
import type {
  CompactionRecord,
  Message,
  Plan,
  PlannedEdit,
  Projection,
  StageOutcome,
  Trigger,
} from '../../transcript/index.js';
import { pendingEvent, tellEnded } from '../announce.js';
import { givenWayOf } from '../audit.js';
import type { PluginHooks } from '../hooks/plugin-hooks.js';
import type { Prepared } from '../prepared.js';
import { commitPlanned } from '../commit.js';
import type { RunOverrides } from '../run-overrides.js';
import { planAndFill } from '../plan-and-fill.js';
import { planInput } from '../plan-input.js';
import type { SessionCore } from '../session-parts.js';
import { spentNow } from '../triggers.js';
import { BoughtPlans } from './bought-plans.js';
import type { History } from './history.js';

/** What a compaction would do. `noop` and `unreachable` have no plan, and say why. */
export interface DryRun {
  readonly kind: 'planned' | 'noop' | 'unreachable';
  readonly reason: string;
  readonly plan?: Plan;
  readonly before: Reading;
  readonly after: Reading;
  readonly stages: readonly StageOutcome[];
  /** Calls of a summarizer for its text, and which slots kept their deterministic form. */
  readonly calls: CompactionRecord['calls'];
  readonly fallbacks: CompactionRecord['fallbacks'];
  readonly error?: SpillwayError;
}

/** What an operator changes of a plan. */
export interface PlanChanges {
  /** Places of edits that are left out, as in `plan.edits`. */
  readonly without?: readonly number[];
  /** Messages that stay as they are: every edit that touches one is left out. */
  readonly keep?: readonly string[];
  /** Other words for what stands in place of a part or a span, by place of the edit. */
  readonly text?: Readonly<Record<number, string>>;
}

interface PlansServices extends SessionCore {
  readonly history: History;
  readonly hooks: PluginHooks;
}

/** Plans as operators handle them: made, shown, changed, committed, refused. */
export class Plans {
  readonly #of: PlansServices;
  /** What the text of plans cost that nobody has committed. */
  readonly bought: BoughtPlans;

  constructor(of: PlansServices) {
    this.#of = of;
    this.bought = new BoughtPlans(of.parts.audit);
  }

  async dryRun({ signal, ...overrides }: RunOverrides & { readonly signal?: AbortSignal }): Promise<DryRun> {
    const { thread, parts, hooks } = this.#of;
    const { policy, filler } = parts.tuned(overrides);
    const { target = policy.target } = overrides;
    const trigger: Trigger = { kind: 'manual', detail: `asked for pressure ${target}` };
    const before = parts.gauge.read(thread.projection);
    const run = {
      ...planInput(this.#of, trigger),
      policy: { ...policy, target },
      forced: true,
      ...(filler && { asks: true }),
    };
    const { outcome, bought, asked } = await planAndFill(run, {
      parts,
      hooks,
      filler,
      signal,
    });
    const chain = asked?.chain ?? [];
    if (outcome.kind !== 'planned') {
      const { kind, stages } = outcome;
      const why =
        kind === 'noop'
          ? { reason: outcome.reason }
          : { reason: outcome.error.message, error: outcome.error };
      return { kind, ...why, stages, before, after: before, calls: [], fallbacks: chain };
    }
    const { plan, after } = outcome;
    const spent = { calls: bought?.calls ?? [], fallbacks: [...chain, ...(bought?.fallbacks ?? [])] };
    this.bought.note(plan.hash, { ...bought, ...spent });
    return {
      kind: 'planned',
      reason: trigger.detail,
      plan,
      before,
      after,
      stages: plan.stages,
      ...bought,
      ...spent,
    };
  }

  /** Commits, and tells plugins of it. */
  async commitAndTell(commit: () => Promise<CompactionRecord>): Promise<CompactionRecord> {
    const before = this.#of.hooks.areTold ? this.#of.hooks.now : undefined;
    const record = await commit();
    if (before) await this.#of.hooks.after(before, { reason: record.plan.trigger.detail, record });
    return record;
  }

  /** Throws `PLAN_ALTERED`, `LEDGER_CONFLICT` as committing would. */
  preview(plan: Plan): Pick<Prepared, 'messages' | 'beside' | 'notices' | 'reading' | 'view'> {
    const draft = this.#drawn(plan);
    const { messages, beside = {}, notices } = this.#of.parts.serialise(draft.view);
    return {
      messages: [...messages],
      beside,
      notices,
      reading: this.#of.parts.gauge.read(draft),
      view: draft.view,
    };
  }

  commit(plan: Plan): CompactionRecord {
    const { audit, stream } = this.#of.parts;
    const { ledger, memory, projection: before } = this.#of.thread;
    const draft = this.#drawn(plan);
    const { pending } = ledger;
    const isApproved = pending?.plan.hash === plan.hash;
    const states =
      isApproved && pending.states ? new Map(Object.entries(pending.states)) : memory.stageStates;
    const waited = isApproved
      ? { calls: pending.calls ?? [], fallbacks: pending.fallbacks ?? [] }
      : undefined;
    const bought = waited && waited.calls.length > 0 ? waited : (this.bought.of(plan.hash) ?? waited);
    const record = commitPlanned(
      this.#of,
      { plan, draft, states, stageMs: {} },
      { kind: 'compaction', durationMs: 0, bought, approves: isApproved ? plan.hash : undefined },
    );
    if (isApproved) {
      audit.say('approved', plan.hash, { record: record.id });
      stream.emit({ kind: 'approved', plan: plan.hash, recordId: record.id });
    }
    const report = { kind: 'committed', reason: plan.trigger.detail, stages: plan.stages, record } as const;
    const givenWay = givenWayOf(before, this.#of.thread);
    tellEnded({ report: { ...report, durationMs: 0 }, givenWay }, this.#of.parts);
    return record;
  }

  /** Lets a plan wait. Throws as committing it would. */
  propose(plan: Plan): void {
    const { audit, clock, stream } = this.#of.parts;
    this.#drawn(plan);
    const proposal = { plan, at: clock(), ...this.bought.of(plan.hash) };
    this.#of.thread.ledger.play({ kind: 'propose', proposal });
    audit.say('pending', plan.hash, { reason: plan.trigger.detail });
    stream.emit(pendingEvent(plan));
  }

  /** Commits the plan that waits, as it was shown. Throws `PLAN_UNKNOWN` where it waits no more. */
  approve(hash: string): CompactionRecord {
    return this.commit(this.#of.history.waitingFor(hash).plan);
  }

  /** Throws `PLAN_UNKNOWN` where the plan waits no more. */
  reject(hash: string, notes: string | undefined): void {
    const { audit, stream } = this.#of.parts;
    const { plan } = this.#of.history.waitingFor(hash);
    this.#of.thread.ledger.play({ kind: 'reject', plan: plan.hash, ...(notes !== undefined && { notes }) });
    this.#of.thread.memory.spent = spentNow(this.#of);
    audit.say('rejected', plan.hash, { notes });
    stream.emit({ kind: 'rejected', plan: plan.hash });
  }

  /** The edited plan waits in the place of the other. Throws `PLAN_UNKNOWN` where that one waits no more. */
  editWaiting(plan: Plan, changes: PlanChanges): Plan {
    const { audit, clock } = this.#of.parts;
    const waiting = this.#of.history.waitingFor(plan.hash);
    const edited = this.edit(plan, changes);
    this.#of.thread.ledger.play({ kind: 'propose', proposal: { ...waiting, plan: edited, at: clock() } });
    audit.say('edited', edited.hash, { was: plan.hash });
    return edited;
  }

  /** Another plan: judged and measured again. */
  edit(plan: Plan, changes: PlanChanges): Plan {
    genuine(plan);
    const { without = [], keep = [], text = {} } = changes;
    const kept = keep.map((id) => this.#seqOf(id));
    const edits = plan.edits.flatMap((edit, place): PlannedEdit[] => {
      if (without.includes(place) || kept.some((seq) => this.#touches(edit, seq))) return [];
      const words = text[place];
      return [words === undefined ? edit : reworded(edit, words)];
    });
    const edited = rejudge(planInput(this.#of, plan.trigger), plan, edits).plan;
    this.bought.rename(plan.hash, edited.hash);
    return edited;
  }

  /** The view as a plan would leave it. */
  #drawn(plan: Plan): Projection {
    const { ledger, projection } = this.#of.thread;
    genuine(plan);
    if (plan.base !== ledger.head) {
      throw new SpillwayError('LEDGER_CONFLICT', {
        subject: 'plan base',
        found: plan.base,
        allowed: ledger.head,
        remedy:
          'Plan again, or let `edit(plan)` judge it anew on the ledger of now: that gives it another hash.',
        retryable: true,
      });
    }
    for (const edit of plan.edits) for (const id of namesOf(edit)) this.#seqOf(id);
    const draft = projection.fork();
    draft.apply(plan.edits);
    return draft;
  }

  #seqOf(id: string): number {
    const message = this.#of.thread.log.find(id);
    if (message) return message.seq;
    throw new SpillwayError('MESSAGE_UNKNOWN', {
      subject: 'message of a plan',
      found: id,
      remedy: 'Use plans in the session they were made for.',
    });
  }

  #touches(edit: PlannedEdit, seq: number): boolean {
    const [from = 0, to = from] = namesOf(edit).map((id) => this.#seqOf(id));
    return seq >= from && seq <= to;
  }
}

/** A plan is its content: one that was changed by hand is another plan, which nobody has judged. */
function genuine(plan: Plan): void {
  const { hash, ...rest } = plan;
  if (hashPlan(rest) === hash) return;
  throw new SpillwayError('PLAN_ALTERED', {
    subject: 'plan',
    found: hash,
    remedy: 'Change plans with `edit`, which judges and measures them again.',
  });
}

const namesOf = (edit: PlannedEdit): readonly string[] =>
  edit.kind === 'replace' ? [edit.messageId] : [edit.fromId, edit.toId];

function reworded(edit: PlannedEdit, words: string): PlannedEdit {
  const content = [{ type: 'text', text: words }] as const;
  if (edit.kind === 'replace') return { ...edit, content };
  const place = edit.replacement.findIndex(({ label }) => label !== 'claims');
  const replacement = edit.replacement.map((message, i): Message => {
    return i === place ? { ...message, parts: content } : message;
  });
  return { ...edit, replacement };
}
