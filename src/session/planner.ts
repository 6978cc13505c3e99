import { refill, withoutUnfilled, type Planned, type RunInput, type RunOutcome } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { Budget } from '../tokens/index.js';
import {
  atOnce,
  madeIn,
  type CompactionRecord,
  type ModelCall,
  type StageOutcome,
  type Steps,
  type Trigger,
  type Warning,
} from '../transcript/index.js';
import { SOURCES } from './hooks/instructions.js';
import type { HookAnswers } from './hooks/plugin-hooks.js';
import { relaxIfStuck, type Drafted } from './relax-if-stuck.js';
import type { Pieces } from './wiring.js';
import { runInSlices, whenReady } from './slices.js';

/** A planned run that is not yet committed. */
export interface FilledRun {
  readonly outcome: RunOutcome;
  /** The summarizer calls for the run; absent if no text was requested. */
  readonly bought?: Filling['bought'] | undefined;
  /** The answers of plugins; absent if no plugin was asked. */
  readonly answers?: HookAnswers | undefined;
}

/** A plan after its slots were filled, and the summarizer calls that were made for it. */
export interface Filling {
  readonly outcome: Planned;
  readonly bought: Required<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'warnings'>>;
}

type Stopped = (stages: readonly StageOutcome[], pressure: number) => void;

interface PlanningOptions {
  /** Absent if no text may be requested. */
  readonly filler: Filler | undefined;
  readonly signal: AbortSignal | undefined;
  /** Callbacks that report the run while it is in progress; absent for a plan that an operator only looks at. */
  readonly run?: { readonly reportStage: NonNullable<RunInput['onStep']>; readonly reportSkipped: Stopped };
  /** Whether ledger and log are still those that the run began on. Absent if nothing is to be committed. */
  readonly isCurrent?: () => boolean;
}

/** Warning for a run whose summarizer could not take the source. */
const SOURCE_TOO_LONG: Warning = {
  code: 'source-too-long',
  message:
    'The summarizer could not take the source, not even without tool results. Give it a model with a larger window, or raise fill.chunks.',
};

export const hasSlots = ({ plan }: Planned): boolean => plan.edits.some((edit) => edit.slot);

/** Plans runs on the present state of the session, adjusted by plugins, and requests their text. */
export class Planner {
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'clock'
      | 'costs'
      | 'count'
      | 'gauge'
      | 'hooks'
      | 'measureDraft'
      | 'pipeline'
      | 'policies'
      | 'thread'
      | 'timer'
    >,
  ) {}

  /** The input of a run: the present state of the session, with the whole log read. */
  input(trigger: Trigger, budget?: Budget): RunInput {
    const { thread, gauge, measureDraft, count, clock, timer, policies } = this.pieces;
    const { log, ledger, isPinned, isPinnedByName, projection, memory, reader } = thread;
    const { references, digests, secrets } = reader.catchUp();
    return {
      source: {
        log,
        references,
        holds: ledger.holds,
        isPinned,
        isPinnedByName,
        digests,
        secrets,
        trust: references.trust,
        recall: gauge.recall,
      },
      projection,
      base: ledger.head,
      trigger,
      ...(memory.queued && { queuedBy: memory.queued.id }),
      policy: policies.current,
      forced: false,
      read: gauge.scale(budget),
      fixed: gauge.fixed,
      measure: measureDraft,
      count,
      clock: clock(),
      timer,
      states: memory.stageStates,
    };
  }

  /**
   * Plans a run with the pipeline, in slices, without plugins or text. If the session changed meanwhile, a run that is
   * to be committed (with `isCurrent`) becomes stale, and a plan that is only looked at is made again without a pause.
   */
  draft(run: RunInput, isCurrent?: () => boolean): RunOutcome | Promise<RunOutcome> {
    const { thread, pipeline } = this.pieces;
    const drafting = (): Steps<RunOutcome> => madeIn(pipeline.plan(run));
    const { length } = run.source.log;
    return whenReady(runInSlices(drafting()), (outcome) => {
      if (isCurrent) return isCurrent() ? outcome : staleOutcome();
      if (run.source.log.length === length && thread.ledger.head === run.base) return outcome;
      thread.reader.catchUp();
      return atOnce(drafting());
    });
  }

  /** Plans a run. Synchronous if the work fits into one slice and no plugin or text has to be awaited. */
  plan(run: RunInput, how: PlanningOptions): FilledRun | Promise<FilledRun> {
    if (this.pieces.hooks.asks(run.policy)) return this.#planWithPlugins(run, how);
    const reported = { ...run, ...(how.run && { onStep: how.run.reportStage }) };
    return whenReady(this.#draftFitting(reported, how), ({ input: { source }, outcome }) =>
      this.#fillSlots({ ...run, source }, outcome, how),
    );
  }

  async #planWithPlugins(run: RunInput, how: PlanningOptions): Promise<FilledRun> {
    const { hooks } = this.pieces;
    const { run: reports, isCurrent } = how;
    const answers = await hooks.before(run, reports === undefined);
    const { skip } = answers;
    if (isCurrent && !isCurrent()) return { outcome: staleOutcome(), answers };
    if (skip) {
      const reason = `skipped by ${skip.by}: ${skip.why}`;
      return { outcome: { kind: 'noop', reason, stages: [] }, answers };
    }
    const wanted = { ...answers.input, ...(reports && { onStep: reports.reportStage }) };
    const { input, outcome } = await this.#draftWithAnswers(run, wanted, how);
    return { ...(await this.#fillSlots(input, outcome, how)), answers };
  }

  /** Plans a run as plugins ask for it. What they retain is released if the run would not fit with it. */
  async #draftWithAnswers(run: RunInput, input: RunInput, how: PlanningOptions): Promise<Drafted> {
    const outcome = await this.draft(input, how.isCurrent);
    const isOwn = ({ plugin }: { readonly plugin: string }): boolean => plugin === SOURCES;
    // If the run fails with the instructions of the sources put back, it is planned again without them.
    if (outcome.kind !== 'planned' && input.injected?.some(isOwn)) {
      const injected = input.injected.filter((one) => !isOwn(one));
      return this.#draftWithAnswers(run, { ...input, injected }, how);
    }
    const retains = input.source.holds.length > run.source.holds.length;
    if (!retains) return this.#draftFitting(input, how, outcome);
    if (outcome.kind !== 'unreachable') return { input, outcome };
    if (how.run) this.pieces.hooks.warn('What plugins retain did not fit: it was compacted all the same.');
    return this.#draftFitting({ ...input, source: run.source }, how);
  }

  /** Like `drafted`, but releases the operator's holds, or else unread messages, if the run would not fit with them. */
  #draftFitting(
    input: RunInput,
    { isCurrent }: PlanningOptions,
    made: RunOutcome | Promise<RunOutcome> = this.draft(input, isCurrent),
  ): Drafted | Promise<Drafted> {
    return whenReady(made, (outcome) => relaxIfStuck(input, outcome, (run) => this.draft(run, isCurrent)));
  }

  /** Fills the slots of the planned run. */
  #fillSlots(input: RunInput, outcome: RunOutcome, how: PlanningOptions): FilledRun | Promise<FilledRun> {
    const { run, filler, signal } = how;
    if (!filler || outcome.kind !== 'planned' || !hasSlots(outcome)) return { outcome };
    // Listeners learn which stages ran before the text arrives.
    run?.reportSkipped(outcome.plan.stages, outcome.after.pressure);
    return this.fill(input, outcome, filler, signal);
  }

  /** Requests text for a plan that is legal without it. If the text does not help, the plan stays. Never rejects. */
  async fill(
    input: RunInput,
    outcome: Planned,
    filler: Filler,
    signal: AbortSignal | undefined,
  ): Promise<Filling> {
    const calls: ModelCall[] = [];
    const { edits } = outcome.plan;
    const { texts, fallbacks, isTooLong } = await filler.fill({
      edits,
      log: input.source.log,
      isPinned: input.source.isPinned,
      view: input.projection.view,
      queuedBy: input.queuedBy === undefined ? undefined : input.source.log.find(input.queuedBy),
      recall: input.source.recall,
      redact: input.source.secrets?.redact,
      signal,
      onCall: (call) => {
        calls.push(call);
        this.pieces.costs.addCall(call);
      },
    });
    const reasons = [...fallbacks];
    const needed = new Map([...texts].filter(([place]) => !edits[place]!.slot!.grows));
    let refilled = texts.size > 0 ? refill(input, outcome, texts) : undefined;
    if (!refilled && needed.size < texts.size) {
      reasons.push('longer texts: with them the plan would not fit, or not be worth it');
      refilled = needed.size > 0 ? refill(input, outcome, needed) : undefined;
    }
    if (needed.size > 0 && !refilled)
      reasons.push('all: with the bought text the plan would not fit, or not be worth it');
    for (const place of refilled?.refused ?? [])
      reasons.push(`${edits[place]!.slot!.prompt}: the bought text would not shrink the view`);
    const bought = { calls, fallbacks: reasons, warnings: isTooLong ? [SOURCE_TOO_LONG] : [] };
    const isMissing = edits.some(
      ({ kind, slot }, place) => kind === 'supersede' && slot && !slot.grows && !texts.has(place),
    );
    const dropped = input.policy.dropsOnFailure && isMissing ? await this.#planDrop(input) : undefined;
    if (dropped) reasons.push('all: dropped, oldest first, since a summary could not be had');
    return { outcome: withoutUnfilled(input, dropped ?? refilled?.outcome ?? outcome), bought };
  }

  /** Plans the same run without summaries; undefined if that gives no plan. */
  async #planDrop(input: RunInput): Promise<Planned | undefined> {
    const outcome = await this.draft({ ...input, policy: { ...input.policy, skipsSpans: true } });
    return outcome.kind === 'planned' ? outcome : undefined;
  }
}

/** The outcome of a run if log or ledger changed meanwhile: its plan can no longer be used. */
export function staleOutcome(outcome?: RunOutcome): RunOutcome {
  if (outcome && outcome.kind !== 'planned') return outcome;
  const reason = 'the ledger moved on while text was waited for';
  return { kind: 'noop', reason, stages: outcome?.plan.stages ?? [] };
}
