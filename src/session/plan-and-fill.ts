import { planRun, type Planned, type RunInput, type RunOutcome } from '../pipeline/index.js';
import type { Filler } from '../summarizers/index.js';
import type { Plan } from '../transcript/index.js';
import type { RunAnnouncer } from './announce.js';
import { fillPlan, hasSlots, type Filling } from './fill.js';
import { SOURCES } from './hooks/instructions.js';
import type { HookAnswers, PluginHooks } from './hooks/plugin-hooks.js';
import type { SessionParts } from './session-parts.js';

/** A run before anything of it is committed. */
export interface FilledRun {
  readonly outcome: RunOutcome;
  /** What was bought for it; absent where no text was. */
  readonly bought?: Filling['bought'] | undefined;
  /** What plugins made of it; absent where none was asked. */
  readonly asked?: HookAnswers | undefined;
}

export interface Planning {
  readonly parts: Pick<SessionParts, 'costs' | 'gauge' | 'stream'>;
  readonly hooks: PluginHooks;
  /** Absent where no text is to be bought. */
  readonly filler: Filler | undefined;
  readonly signal: AbortSignal | undefined;
  /** Tells of the run while it goes on; absent for a plan that an operator looks at. */
  readonly announcer?: RunAnnouncer;
  /** Whether ledger and log are still those the run began on. Absent where nothing is committed. */
  readonly isCurrent?: () => boolean;
}

/** Plans a run as plugins want it, and has its text bought. At once where neither has to be waited for. */
export function planAndFill(run: RunInput, of: Planning): FilledRun | Promise<FilledRun> {
  const { announcer, hooks } = of;
  if (hooks.asks(run.policy)) return askPlanAndFill(run, of);
  return filled(run, planRun({ ...run, ...(announcer && { onStep: announcer.fired }) }), of);
}

async function askPlanAndFill(run: RunInput, of: Planning): Promise<FilledRun> {
  const { announcer, hooks, parts, isCurrent } = of;
  const reading = parts.gauge.read(run.projection);
  const asked = await hooks.before(run, { reading, dryRun: !announcer });
  const { skip } = asked;
  if (isCurrent && !isCurrent()) return { outcome: staleOf(), asked };
  if (skip) {
    const reason = `skipped by ${skip.by}: ${skip.why}`;
    return { outcome: { kind: 'noop', reason, stages: [] }, asked };
  }
  const wanted = { ...asked.input, ...(announcer && { onStep: announcer.fired }) };
  const { input, outcome, retainedGaveWay } = planAsked(run, wanted);
  if (retainedGaveWay && announcer) hooks.warnRetainedCompacted();
  return { ...(await filled(input, outcome, of)), asked };
}

/** The same run with text for what was planned. */
function filled(input: RunInput, outcome: RunOutcome, of: Planning): FilledRun | Promise<FilledRun> {
  const { announcer, filler } = of;
  if (!filler || outcome.kind !== 'planned' || !hasSlots(outcome)) return { outcome };
  // Nobody is to wait for text to hear which stages ran.
  announcer?.stopped(outcome.plan.stages, outcome.after.pressure);
  return bought(input, outcome, filler, of);
}

async function bought(
  input: RunInput,
  planned: Planned,
  filler: Filler,
  { parts, signal, isCurrent }: Planning,
): Promise<FilledRun> {
  const { outcome, bought } = await fillPlan(input, planned, filler, parts, signal);
  return { outcome: isCurrent && !isCurrent() ? staleOf(outcome.plan) : outcome, bought };
}

/** What was planned, on the input that it came of. */
interface PlannedAsked {
  readonly input: RunInput;
  readonly outcome: RunOutcome;
  /** What plugins retain did not fit, and was compacted all the same. */
  readonly retainedGaveWay: boolean;
}

/** Plans a run as plugins want it; what they retain gives way where nothing would fit beside it. */
function planAsked(run: RunInput, input: RunInput): PlannedAsked {
  const outcome = planRun(input);
  const isOwn = ({ by }: { readonly by: string }): boolean => by === SOURCES;
  // Instructions that are put back are worth no refusal: then the run goes without them.
  if (outcome.kind !== 'planned' && input.injected?.some(isOwn))
    return planAsked(run, { ...input, injected: input.injected.filter((one) => !isOwn(one)) });
  const retains = input.source.holds.length > run.source.holds.length;
  if (outcome.kind !== 'unreachable' || !retains) return { input, outcome, retainedGaveWay: false };
  const without = { ...input, source: run.source };
  return { input: without, outcome: planRun(without), retainedGaveWay: true };
}

/** What was planned is of no use any more. */
function staleOf(plan?: Plan): RunOutcome {
  const reason = 'the ledger moved on while text was waited for';
  return { kind: 'noop', reason, stages: plan?.stages ?? [] };
}
