import { mayBeWorthIt, planRun, spentAfter, type Planned, type RunOutcome } from '../pipeline/index.js';
import type { Emit } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';
import type { EarlyFill } from './ahead/early.js';
import { RunAnnouncer } from './announce.js';
import { strategiesOf } from './audit.js';
import { fillPlan, hasSlots, type Filling } from './fill.js';
import { givenWayOf } from './given-way.js';
import { runAsked, staleOf, type Finish } from './hooks/asked-run.js';
import type { Asked, PluginHooks } from './hooks/plugin-hooks.js';
import { pendingReport } from './pending.js';
import { commitPlanned } from './commit.js';
import { commitPass, stripMoved } from './passes.js';
import { planInput } from './plan-input.js';
import type { RunReport } from './prepared.js';
import { NO_PROSPECT, noRun } from './prospect.js';
import { belowThreshold, type RunManner } from './run-overrides.js';
import type { SessionCore } from './session-parts.js';
import { passIsDue, spentNow, triggerAt } from './triggers.js';
import { warningsOf } from './warnings.js';

type Emitting = Emit<Reading>;

/** At once where no text is to be bought. */
export type Response = RunReport | Promise<RunReport>;

export interface CompactionServices extends SessionCore {
  readonly early: EarlyFill;
  readonly hooks: PluginHooks;
}

/** Plans runs, has their text bought, and commits them: the one place where a session's view gets smaller. */
export class Compaction {
  readonly #of: CompactionServices;

  constructor(of: CompactionServices) {
    this.#of = of;
  }

  /**
   * What a session does before a call: passes that need no gate, then a run where one is due. `moved`: position of the log
   * behind which what hooks add has changed.
   */
  beforeCall(
    emit: Emitting,
    { moved, signal }: { readonly moved?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Response {
    const { policy, gauge } = this.#of.parts;
    const { ledger, memory } = this.#of.thread;
    if (ledger.pending) return pendingReport(ledger.pending.plan);
    if (moved !== undefined) stripMoved(this.#of, moved);
    for (const pass of policy.passes) if (passIsDue(this.#of, pass)) commitPass(this.#of, pass);
    const reading = gauge.read(this.#of.thread.projection);
    emit({ kind: 'reading', reading });
    const trigger = triggerAt(this.#of, reading);
    if (!trigger) return noRun(reading.pressure < (policy.gates[0]?.opensAt ?? Infinity));
    if (!this.#hasProspect(trigger, reading)) {
      const report = this.#settle(NO_PROSPECT, { durationMs: 0, waits: false, bought: undefined });
      new RunAnnouncer(emit, policy).ended(report, reading.pressure);
      this.#of.parts.audit.ended(report, () => [], policy.strategies);
      return report;
    }
    const overflow = trigger.kind === 'overflow' || memory.queued !== undefined;
    return this.run(emit, trigger, {
      // What overflowed was full, whatever it is read as: the target is a share of that, or nothing would go.
      target: overflow ? policy.target * Math.min(1, reading.pressure) : policy.target,
      forced: overflow,
      refused: memory.overflowed,
      signal,
    });
  }

  /** Whether a run may be worth it; always where one is prepared, or begins with a pass. */
  #hasProspect(trigger: Trigger, reading: Reading): boolean {
    const { passes } = this.#of.parts.policy;
    if (trigger.kind !== 'pressure' || passes.some(({ when }) => when === 'compaction')) return true;
    const early = this.#of.early;
    early.revive();
    if (early.running || early.take()) return true;
    return mayBeWorthIt(planInput(this.#of, trigger), reading);
  }

  /** One run, now: planned, committed where it is worth it, announced; and then told to plugins that listen. */
  run(emit: Emitting, trigger: Trigger, how: RunManner): Response {
    const before = this.#of.hooks.tells ? this.#of.hooks.now : undefined;
    const response = this.#start(emit, trigger, how);
    if (!before) return response;
    return Promise.resolve(response).then(async (report) => {
      if (hasEnded(report)) await this.#of.hooks.after(before, report);
      return report;
    });
  }

  #start(emit: Emitting, trigger: Trigger, how: RunManner): Response {
    const { audit, gauge, timer } = this.#of.parts;
    const { policy, filler } = how.tuned ?? this.#of.parts;
    const early = this.#of.early;
    if (trigger.kind === 'pressure') early.revive();
    const isAutomatic = trigger.kind === 'pressure' || trigger.kind === 'cap';
    const waitsForText = this.#of.parts.waitsForText || !isAutomatic;
    if (trigger.kind === 'pressure' && early.running && waitsForText && !how.signal?.aborted)
      return untilAborted(early.running, how.signal).then(() => this.#start(emit, trigger, how));
    const started = timer();
    const reading = gauge.read(this.#of.thread.projection);
    if (reading.pressure < (how.threshold ?? 0)) return belowThreshold(how.threshold!);
    emit({ kind: 'triggered', reading, reason: trigger.detail });
    audit.triggered(trigger, reading.pressure, policy.strategies, this.#of.hooks.compactorFor(policy));
    for (const pass of policy.passes) if (pass.when === 'compaction') commitPass(this.#of, pass);
    const announcer = new RunAnnouncer(emit, policy);
    const input = {
      ...planInput(this.#of, trigger),
      policy: { ...policy, target: how.target },
      forced: how.forced,
      ...(how.refused && { refused: true }),
      ...(filler && waitsForText && { asks: true }),
    };
    const waits = how.waits ?? (policy.waits === true && trigger.kind !== 'manual');
    const finish: Finish = (outcome, bought, asked) => {
      const before = this.#of.thread.projection;
      const report = this.#settle(outcome, { durationMs: timer() - started, waits, bought, asked });
      announcer.ended(report, gauge.read(this.#of.thread.projection).pressure);
      audit.ended(report, givenWayOf(before, this.#of.thread), policy.strategies);
      return report;
    };
    if (this.#of.hooks.asks(policy)) {
      const { signal } = how;
      const asks = {
        hooks: this.#of.hooks,
        filler: waitsForText ? filler : undefined,
        announcer,
        finish,
        signal,
      };
      return this.#standingStill((isCurrent) =>
        runAsked(input, { ...asks, parts: this.#of.parts, isCurrent }),
      );
    }
    const ready = trigger.kind === 'pressure' ? early.take() : undefined;
    const enough = ready && { ...ready.outcome, after: gauge.read(ready.outcome.draft) };
    if (enough && enough.after.pressure < (policy.gates[0]?.opensAt ?? 1))
      return finish(enough, ready.bought);
    const outcome = planRun({ ...input, onStep: announcer.fired });
    if (!filler || !waitsForText || outcome.kind !== 'planned' || !hasSlots(outcome)) return finish(outcome);
    // Nobody is to wait for text to hear which stages ran.
    announcer.stopped(outcome.plan.stages, outcome.after.pressure);
    return this.#finishWithText(fillPlan(input, outcome, filler, this.#of.parts, how.signal), finish);
  }

  /** Commits when the text is there, unless the ledger moved on meanwhile. */
  #finishWithText(filling: Promise<Filling>, finish: Finish): Promise<RunReport> {
    return this.#standingStill(async (isCurrent) => {
      const { outcome, bought } = await filling;
      return finish(isCurrent() ? outcome : staleOf(outcome.plan), bought);
    });
  }

  /** The log stands still while somebody is waited for; what arrived meanwhile is let in after. */
  async #standingStill(work: (isCurrent: () => boolean) => Promise<RunReport>): Promise<RunReport> {
    const thread = this.#of.thread;
    thread.holdArrivals();
    const { log } = thread;
    const base = thread.ledger.head;
    try {
      return await work(() => thread.ledger.head === base && thread.log === log);
    } finally {
      thread.admitArrivals();
    }
  }

  /** Commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
  #settle(outcome: RunOutcome, { durationMs, waits, bought, asked }: Settling): RunReport {
    const { gauge, policy } = this.#of.parts;
    const { gates } = policy;
    const thread = this.#of.thread;
    const hooks = asked && asked.lines.length > 0 ? { hooks: asked.lines } : {};
    const calls = { ...(bought && { calls: bought.calls }), ...hooks };
    const chain = asked?.chain ?? [];
    const fallbacks = [...chain, ...(bought?.fallbacks ?? [])];
    const known = {
      ...(bought && { calls: bought.calls }),
      ...((bought || chain.length > 0) && { fallbacks }),
    };
    const warnings = (pressure: number): Pick<RunReport, 'warnings'> => {
      const own = warningsOf(outcome, pressure, gates[0]?.opensAt ?? Infinity);
      const found = [...own, ...(bought?.warnings ?? [])];
      return found.length > 0 ? { warnings: found } : {};
    };
    if (outcome.kind === 'planned' && waits) {
      this.#propose(outcome, known);
      return { ...pendingReport(outcome.plan), durationMs, ...calls };
    }
    if (outcome.kind === 'planned') {
      const warned = warnings(outcome.after.pressure);
      const record = commitPlanned(this.#of, outcome, {
        kind: 'compaction',
        durationMs,
        bought: { ...known, ...hooks, ...warned },
      });
      const spent = spentAfter(outcome.after.pressure, gates, thread.appendedTokens);
      Object.assign(thread.memory, { spent, overflowed: false, queued: undefined });
      return {
        kind: 'committed',
        reason: record.plan.trigger.detail,
        stages: record.plan.stages,
        record,
        durationMs,
        ...calls,
        ...warned,
      };
    }
    const { pressure } = gauge.read(thread.projection);
    Object.assign(thread.memory, { spent: spentNow(this.#of), overflowed: false, queued: undefined });
    if (outcome.kind === 'noop')
      return {
        kind: 'noop',
        reason: outcome.reason,
        stages: outcome.stages,
        ...(asked?.skip && { skippedBy: asked.skip.by }),
        ...(outcome.tried?.length && { strategy: strategiesOf(outcome.tried) }),
        durationMs,
        ...calls,
        ...warnings(pressure),
      };
    const { error } = outcome;
    const { message: reason } = error;
    return { kind: 'unreachable', reason, stages: outcome.stages, error, durationMs, ...warnings(pressure) };
  }

  /** Lets a plan wait for an operator, with all that committing it later needs. */
  #propose({ plan, states }: Planned, bought: Partial<Filling['bought']>): void {
    const proposal = { plan, at: plan.inputs.clock, states: Object.fromEntries(states), ...bought };
    this.#of.thread.ledger.play({ kind: 'propose', proposal });
  }
}

interface Settling {
  /** Milliseconds. */
  readonly durationMs: number;
  /** For an operator's yes. */
  readonly waits: boolean;
  readonly bought: Filling['bought'] | undefined;
  /** What plugins made of it; absent where none was asked. */
  readonly asked?: Asked | undefined;
}

/** Whether a run was made, and is over: one that a plugin skipped, or that waits for a yes, is not. */
const hasEnded = ({ kind, skippedBy }: RunReport): boolean =>
  skippedBy === undefined && (kind === 'committed' || kind === 'noop' || kind === 'unreachable');

/** Resolves with the work, or as soon as nobody wants to wait any more. */
function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  return Promise.race([work, aborted]);
}
