import type { RunInput, RunOutcome } from '../../pipeline/index.js';
import type { Filler } from '../../summarizers/index.js';
import type { Plan } from '../../transcript/index.js';
import type { RunAnnouncer } from '../announce.js';
import { fillPlan, hasSlots, type Filling } from '../fill.js';
import type { RunReport } from '../prepared.js';
import type { SessionParts } from '../session-parts.js';
import { planAsked } from './plan-asked.js';
import type { Asked, PluginHooks } from './plugin-hooks.js';

/** Commits what a run came to, announces it, and says so. */
export type Finish = (outcome: RunOutcome, bought?: Filling['bought'], asked?: Asked) => RunReport;

export interface AskedRun {
  readonly hooks: PluginHooks;
  readonly filler: Filler | undefined;
  readonly announcer: RunAnnouncer;
  readonly finish: Finish;
  readonly signal: AbortSignal | undefined;
  readonly parts: Pick<SessionParts, 'costs' | 'gauge' | 'stream'>;
  /** Whether ledger and log are still those that the run began on. */
  readonly isCurrent: () => boolean;
}

/** One run that plugins are asked about first. What they make of it is planned, filled and committed as any. */
export async function runAsked(run: RunInput, of: AskedRun): Promise<RunReport> {
  const { hooks, filler, announcer, finish, signal, parts, isCurrent } = of;
  const asked = await hooks.before(run, { reading: parts.gauge.read(run.projection), dryRun: false });
  const { skip } = asked;
  if (!isCurrent()) return finish(staleOf(), undefined, asked);
  if (skip) {
    const reason = `skipped by ${skip.by}: ${skip.why}`;
    return finish({ kind: 'noop', reason, stages: [] }, undefined, asked);
  }
  const { input, outcome, lets } = planAsked(run, {
    ...asked,
    input: { ...asked.input, onStep: announcer.fired },
  });
  if (lets) hooks.tellLet();
  let came = outcome;
  let bought: Filling['bought'] | undefined;
  if (filler && outcome.kind === 'planned' && hasSlots(outcome)) {
    announcer.stopped(outcome.plan.stages, outcome.after.pressure);
    const filled = await fillPlan(input, outcome, filler, parts, signal);
    came = isCurrent() ? filled.outcome : staleOf(filled.outcome.plan);
    bought = filled.bought;
  }
  const report = finish(came, bought, asked);
  hooks.tellChain(asked, `${report.kind}: ${report.reason}`, report.record?.id);
  return report;
}

/** What was planned is of no use any more. */
export function staleOf(plan?: Plan): RunOutcome {
  const reason = 'the ledger moved on while text was waited for';
  return { kind: 'noop', reason, stages: plan?.stages ?? [] };
}
