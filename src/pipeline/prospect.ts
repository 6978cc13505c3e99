import type { TranscriptView } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import { isToolResult, madeIn, type Steps } from '../transcript/index.js';
import { tokensOf, type RunInput } from './draft.js';
import { LAST_CALL } from '../pressure/index.js';
import type { OpenableStage } from './policy.js';
import { goalOf } from './proposal.js';
import { buildingView } from './view.js';
import { tierOf, worthUpTo } from './worth.js';

/**
 * Whether a run that pressure alone asks for could be worth its cost: told from what the stages that may open say they
 * could free at most, before anything is drafted. True wherever that cannot be told.
 */
export function* mayBeWorthIt(run: RunInput, reading: Reading): Steps<boolean> {
  const { policy, source, projection } = run;
  const { pressure, byTokens, budget, scale } = reading;
  if (pressure >= LAST_CALL || byTokens < pressure || tierOf(reading) > 1) return true;
  // Nobody knows what a compactor takes out, or how far a drop goes.
  if (policy.delegates || policy.dropsToTarget) return true;
  // Pressure only falls in a run: no stage opens whose gate is above it now.
  const mayOpen =
    policy.escalation === 'target'
      ? policy.stages
      : policy.stages.filter(({ opensAt }, i) => i === 0 || pressure >= opensAt);
  if (mayOpen.some(({ plugin }) => plugin.reclaimable === undefined)) return true;
  const enough = worthUpTo({ policy, forced: false }, reading, false);
  const needed = ((pressure - enough) * budget.tokens) / scale;
  const view = yield* buildingView(source, projection);
  const share = (of: number): number => (of * tokensOf(budget)) / scale;
  if (isCutToSize(view, share(policy.shares.pins), share(policy.shares.unseen))) return true;
  let before = 0;
  for (const [i, stage] of mayOpen.entries()) {
    // A later stage opens only where what came before it has left pressure at its gate.
    const shut = i === 0 || policy.escalation === 'target' ? Infinity : pressure - stage.opensAt;
    const most = yield* reclaimableBy(stage, view, reading, run);
    const freed = Math.min(before, (shut * budget.tokens) / scale) + most;
    if (freed >= needed) return true;
    before += most;
  }
  return false;
}

/** What a stage says counts only where it is a number. One that throws is asked to plan, which is written down against it. */
function* reclaimableBy(
  stage: OpenableStage,
  view: TranscriptView,
  reading: Reading,
  run: RunInput,
): Steps<number> {
  try {
    const goal = goalOf(stage, reading, run, view.tokens);
    const tokens: unknown = yield* madeIn(stage.plugin.reclaimable?.(view, goal));
    return typeof tokens === 'number' && !Number.isNaN(tokens) ? tokens : Infinity;
  } catch {
    return Infinity;
  }
}

/** Whether the run would first cut pins or fresh results to their shares. */
function isCutToSize({ exchanges }: TranscriptView, pinTokens: number, freshTokens: number): boolean {
  let pins = 0;
  let fresh = 0;
  for (const { protection, unseen, tokens, messages } of exchanges) {
    if (protection === 'pinned') pins += tokens;
    else if (unseen && messages.some(({ message }) => message.parts.some(isToolResult))) fresh += tokens;
  }
  return pins > pinTokens || fresh > freshTokens;
}
