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
import { withoutHolds, type Drafted } from './held.js';
import type { Pieces } from './wiring.js';
import { after, soon } from './slices.js';

/** A run before anything of it is committed. */
export interface FilledRun {
  readonly outcome: RunOutcome;
  /** What was bought for it; absent where no text was. */
  readonly bought?: Filling['bought'] | undefined;
  /** What plugins made of it; absent where none was asked. */
  readonly asked?: HookAnswers | undefined;
}

/** What a plan became when its slots were filled, and what was asked for it. */
export interface Filling {
  readonly outcome: Planned;
  readonly bought: Required<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'warnings'>>;
}

type Stopped = (stages: readonly StageOutcome[], pressure: number) => void;

interface Planning {
  /** Absent where no text is to be bought. */
  readonly filler: Filler | undefined;
  readonly signal: AbortSignal | undefined;
  /** Tells of the run while it goes on; absent for a plan that an operator looks at. */
  readonly run?: { readonly fired: NonNullable<RunInput['onStep']>; readonly stopped: Stopped };
  /** Whether ledger and log are still those the run began on. Absent where nothing is committed. */
  readonly isCurrent?: () => boolean;
}

/** Of a run whose summarizer could not read what it was to summarise. */
const SOURCE_TOO_LONG: Warning = {
  code: 'source-too-long',
  message:
    'The summarizer could not take the source, not even without tool results. Give it a model with a larger window, or raise fill.chunks.',
};

export const hasSlots = ({ plan }: Planned): boolean => plan.edits.some((edit) => edit.slot);

/** Plans runs on the session as it stands, as plugins want them, and has their text bought. */
export class Planner {
  constructor(
    private readonly of: Pick<
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

  /** What a run is planned on: the session as it stands, caught up with its log. */
  input(trigger: Trigger, budget?: Budget): RunInput {
    const { thread, gauge, measureDraft, count, clock, timer, policies } = this.of;
    const { log, ledger, isPinned, isPinnedByName, projection, memory, reader } = thread;
    const { references, digests, secrets } = reader.caughtUp();
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
      policy: policies.now,
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
   * The run as the pipeline plans it, in slices: no plugin is asked, no text bought. What is planned for nobody but who looks
   * at it is planned anew, in one go, where the session went on meanwhile; else it comes to nothing then.
   */
  drafted(run: RunInput, isCurrent?: () => boolean): RunOutcome | Promise<RunOutcome> {
    const { thread, pipeline } = this.of;
    const drafting = (): Steps<RunOutcome> => madeIn(pipeline.plan(run));
    const { length } = run.source.log;
    return after(soon(drafting()), (outcome) => {
      if (isCurrent) return isCurrent() ? outcome : staleOf();
      if (run.source.log.length === length && thread.ledger.head === run.base) return outcome;
      thread.reader.caughtUp();
      return atOnce(drafting());
    });
  }

  /** At once where it fits into one slice, and no plugin and no text has to be waited for. */
  plan(run: RunInput, how: Planning): FilledRun | Promise<FilledRun> {
    if (this.of.hooks.asks(run.policy)) return this.#asked(run, how);
    const told = { ...run, ...(how.run && { onStep: how.run.fired }) };
    return after(this.#fitted(told, how), ({ input: { source }, outcome }) =>
      this.#filled({ ...run, source }, outcome, how),
    );
  }

  async #asked(run: RunInput, how: Planning): Promise<FilledRun> {
    const { hooks } = this.of;
    const { run: told, isCurrent } = how;
    const asked = await hooks.before(run, told === undefined);
    const { skip } = asked;
    if (isCurrent && !isCurrent()) return { outcome: staleOf(), asked };
    if (skip) {
      const reason = `skipped by ${skip.by}: ${skip.why}`;
      return { outcome: { kind: 'noop', reason, stages: [] }, asked };
    }
    const wanted = { ...asked.input, ...(told && { onStep: told.fired }) };
    const { input, outcome } = await this.#plannedAsked(run, wanted, how);
    return { ...(await this.#filled(input, outcome, how)), asked };
  }

  /** Plans a run as plugins want it; what they retain gives way where nothing would fit beside it. */
  async #plannedAsked(run: RunInput, input: RunInput, how: Planning): Promise<Drafted> {
    const outcome = await this.drafted(input, how.isCurrent);
    const isOwn = ({ by }: { readonly by: string }): boolean => by === SOURCES;
    // Instructions that are put back are worth no refusal: then the run goes without them.
    if (outcome.kind !== 'planned' && input.injected?.some(isOwn)) {
      const injected = input.injected.filter((one) => !isOwn(one));
      return this.#plannedAsked(run, { ...input, injected }, how);
    }
    const retains = input.source.holds.length > run.source.holds.length;
    if (!retains) return this.#fitted(input, how, outcome);
    if (outcome.kind !== 'unreachable') return { input, outcome };
    if (how.run) this.of.hooks.warn('What plugins retain did not fit: it was compacted all the same.');
    return this.#fitted({ ...input, source: run.source }, how);
  }

  /** As `drafted`; what an operator holds gives way where nothing would fit beside it. */
  #fitted(
    input: RunInput,
    { isCurrent }: Planning,
    made: RunOutcome | Promise<RunOutcome> = this.drafted(input, isCurrent),
  ): Drafted | Promise<Drafted> {
    return after(made, (outcome) => withoutHolds(input, outcome, (freed) => this.drafted(freed, isCurrent)));
  }

  /** The same run with text for what was planned. */
  #filled(input: RunInput, outcome: RunOutcome, how: Planning): FilledRun | Promise<FilledRun> {
    const { run, filler, signal } = how;
    if (!filler || outcome.kind !== 'planned' || !hasSlots(outcome)) return { outcome };
    // Nobody is to wait for text to hear which stages ran.
    run?.stopped(outcome.plan.stages, outcome.after.pressure);
    return this.fill(input, outcome, filler, signal);
  }

  /** Buys text for a plan that is legal without it. Where that does not help, the plan stands as it was. Never rejects. */
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
        this.of.costs.addCall(call);
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
    const dropped = input.policy.dropsOnFailure && isMissing ? await this.#droppedInstead(input) : undefined;
    if (dropped) reasons.push('all: dropped, oldest first, since a summary could not be had');
    return { outcome: withoutUnfilled(input, dropped ?? refilled?.outcome ?? outcome), bought };
  }

  /** The same run without summaries; undefined where that comes to nothing. */
  async #droppedInstead(input: RunInput): Promise<Planned | undefined> {
    const outcome = await this.drafted({ ...input, policy: { ...input.policy, leaveSpans: true } });
    return outcome.kind === 'planned' ? outcome : undefined;
  }
}

/** What a run came to where log and ledger are others by now: what was planned is of no use any more. */
export function staleOf(outcome?: RunOutcome): RunOutcome {
  if (outcome && outcome.kind !== 'planned') return outcome;
  const reason = 'the ledger moved on while text was waited for';
  return { kind: 'noop', reason, stages: outcome?.plan.stages ?? [] };
}
