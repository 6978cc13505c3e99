import type { Replace, StageGoal, TranscriptView, ViewExchange } from '../../spi/index.js';
import { candidatesOf, type Candidate } from './candidates.js';
import type { Need } from './need.js';
import type { SnipOptions } from './options.js';
import { removableExchanges, removeRuns } from './remove.js';
import type { SnipEdits } from './snip-edits.js';

/** One thing to take: a result that becomes a stub, or, in mode remove, an exchange with all its results. */
interface Step {
  readonly candidates: readonly Candidate[];
  readonly saved: number;
  readonly savedResults: number;
  readonly exchange?: ViewExchange;
}

/** Takes results in class order, oldest first, until the need is met; what has expired goes in any case. */
export function resultEdits(view: TranscriptView, goal: StageGoal<SnipOptions>, need: Need): SnipEdits {
  const candidates = candidatesOf(view, goal);
  const gone = new Set<ViewExchange>();
  const stubs: Candidate[] = [];
  const take = (step: Step): void => {
    need.take(step.saved, step.savedResults);
    if (step.exchange) gone.add(step.exchange);
    else stubs.push(...step.candidates);
  };
  const steps = stepsOf(view, candidates, goal);
  for (const step of steps) if (!isShielded(step) && (hasExpired(step) || !need.isMet)) take(step);
  // A cap on tool results wins over the protection of the newest.
  for (const step of steps) if (isShielded(step) && need.capExceeded) take(step);
  // An exchange that may stay loses at least what has expired in it.
  for (const step of steps) {
    if (!step.exchange || gone.has(step.exchange)) continue;
    const expired = step.candidates.filter(
      ({ why, shielded, saved }) => why === 'expired' && !shielded && saved > 0,
    );
    for (const candidate of expired) take(stubStep(candidate));
  }
  return { edits: [...removeRuns(view, gone, goal.count), ...stubs.map(stubEdit)], gone };
}

/** In order of the candidates. An exchange stands at its last one: it goes when the least of its reasons holds. */
function stepsOf(
  view: TranscriptView,
  candidates: readonly Candidate[],
  goal: StageGoal<SnipOptions>,
): Step[] {
  const removable =
    goal.options.mode === 'remove'
      ? removableExchanges(view, candidates, goal.count)
      : new Map<ViewExchange, number>();
  const members = new Map<ViewExchange, Candidate[]>();
  for (const candidate of candidates) {
    const { exchange } = candidate.result;
    if (removable.has(exchange)) members.set(exchange, [...(members.get(exchange) ?? []), candidate]);
  }
  return candidates.flatMap((candidate): Step[] => {
    const { exchange } = candidate.result;
    const together = members.get(exchange);
    if (!together) return candidate.saved > 0 ? [stubStep(candidate)] : [];
    if (together.at(-1) !== candidate) return [];
    const savedResults = together.reduce((sum, { result }) => sum + result.tokens, 0);
    return [{ candidates: together, saved: removable.get(exchange)!, savedResults, exchange }];
  });
}

function stubStep(candidate: Candidate): Step {
  return { candidates: [candidate], saved: candidate.saved, savedResults: candidate.saved };
}

function isShielded({ candidates }: Step): boolean {
  return candidates.some(({ shielded }) => shielded);
}

function hasExpired({ candidates }: Step): boolean {
  return candidates.every(({ why }) => why === 'expired');
}

function stubEdit({ result, stub, reason }: Candidate): Replace {
  return {
    kind: 'replace',
    messageId: result.source.id,
    partIndex: result.index,
    content: [{ type: 'text', text: stub }],
    reason,
  };
}
