import {
  type ShownPart,
  type StageGoal,
  type Steps,
  type TranscriptView,
  type ViewExchange,
  blocksOf,
  isSettled,
  isToolCall,
  isToolResult,
  outlineOf,
  replaceBy,
  runsOf,
  shownParts,
  spanOf,
  supersedeBy,
  type Block,
  type Count,
  type Outline,
  type Supersede,
} from '../../spi/index.js';
import { candidatesOf, type Candidate } from './candidates.js';
import type { Need, SnipEdits } from './need.js';
import type { SnipOptions } from './options.js';

/** One unit to take: a result that becomes a stub, or, in mode `remove`, an exchange with all its results. */
interface Step {
  readonly candidates: readonly Candidate[];
  readonly saved: number;
  readonly savedResults: number;
  readonly exchange?: ViewExchange;
}

/** Takes results in class order, oldest first, until the need is met; expired results go in any case. */
export function* resultEdits(
  view: TranscriptView,
  goal: StageGoal<SnipOptions>,
  need: Need,
): Steps<SnipEdits> {
  const candidates = yield* candidatesOf(view, goal);
  const removed = new Set<ViewExchange>();
  const stubs: Candidate[] = [];
  const take = (step: Step): void => {
    need.take(step.saved, step.savedResults);
    if (step.exchange) removed.add(step.exchange);
    else stubs.push(...step.candidates);
  };
  const steps = yield* stepsOf(view, candidates, goal);
  for (const step of steps) {
    yield;
    if (!isShielded(step) && (hasExpired(step) || !need.isMet)) take(step);
  }
  // A cap on tool results overrides the protection of the newest.
  for (const step of steps) if (isShielded(step) && need.isCapExceeded) take(step);
  // An exchange that stays loses at least its expired results.
  for (const step of steps) {
    if (!step.exchange || removed.has(step.exchange)) continue;
    const expired = step.candidates.filter(
      ({ cause, isShielded, saved }) => cause === 'expired' && !isShielded && saved > 0,
    );
    for (const candidate of expired) take(stubStep(candidate));
  }
  const replaced = stubs.map(({ result, stub, reason }) => replaceBy(result, stub, reason));
  return { edits: [...(yield* removeRuns(view, removed, goal.count)), ...replaced], removed };
}

/** In order of the candidates. An exchange goes in the place of its last candidate: when its weakest reason applies. */
function* stepsOf(
  view: TranscriptView,
  candidates: readonly Candidate[],
  goal: StageGoal<SnipOptions>,
): Steps<Step[]> {
  const eligible = goal.options.mode === 'remove' ? candidates.filter(({ cause }) => cause !== 'capped') : [];
  const removable = yield* removableExchanges(view, eligible, goal.count);
  const members = new Map<ViewExchange, Candidate[]>();
  for (const candidate of candidates) {
    yield;
    const { exchange } = candidate.result;
    if (!removable.has(exchange)) continue;
    const group = members.get(exchange);
    if (group) group.push(candidate);
    else members.set(exchange, [candidate]);
  }
  const steps: Step[] = [];
  for (const candidate of candidates) {
    yield;
    const { exchange } = candidate.result;
    const group = members.get(exchange);
    if (!group && candidate.saved > 0) steps.push(stubStep(candidate));
    if (group?.at(-1) !== candidate) continue;
    const savedResults = group.reduce((sum, { result }) => sum + result.tokens, 0);
    steps.push({ candidates: group, saved: removable.get(exchange)!, savedResults, exchange });
  }
  return steps;
}

function stubStep(candidate: Candidate): Step {
  return { candidates: [candidate], saved: candidate.saved, savedResults: candidate.saved };
}

function isShielded({ candidates }: Step): boolean {
  return candidates.some(({ isShielded }) => isShielded);
}

function hasExpired({ candidates }: Step): boolean {
  return candidates.every(({ cause }) => cause === 'expired');
}

/** A larger call has the agent's own text (an edit, a plan, a script): it stays, and its result becomes a stub. */
const CALL_TOKENS = 60;

/**
 * Exchanges that could leave as a whole, because each of their results is a candidate or was replaced, with the least
 * saving of each: alone, with its own digest. Runs share one digest and save more.
 */
function* removableExchanges(
  view: TranscriptView,
  candidates: readonly Candidate[],
  count: Count,
): Steps<Map<ViewExchange, number>> {
  yield;
  const handles = new Set(candidates.map(({ result }) => result.handle));
  const removable = new Map<ViewExchange, number>();
  if (handles.size === 0) return removable;
  for (const block of blocksOf(view)) {
    yield;
    if (!isRemovable(block, handles)) continue;
    const replacement = digestOf(view, [block], count);
    if (replacement) removable.set(block.exchanges[0]!, Math.max(1, block.tokens - replacement.tokens));
  }
  return removable;
}

/** Replaces each run of removed exchanges by one digest. */
function* removeRuns(
  view: TranscriptView,
  removed: ReadonlySet<ViewExchange>,
  count: Count,
): Steps<Supersede[]> {
  if (removed.size === 0) return [];
  const runs = runsOf(blocksOf(view), (block) => removed.has(block.exchanges[0]!));
  const edits: Supersede[] = [];
  for (const run of runs) {
    yield;
    const digest = digestOf(view, run, count);
    const reason = `${run.length} tool exchange${run.length === 1 ? '' : 's'} nothing needs any more`;
    if (digest) edits.push(supersedeBy(spanOf(run), [digest.message], reason));
  }
  return edits;
}

function isRemovable(block: Block, candidates: ReadonlySet<string>): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const parts = exchange.messages.flatMap(shownParts);
  const isLong = ({ original, source, index }: ShownPart): boolean =>
    isToolCall(original) && (source.size.parts[index]?.tokens ?? 0) > CALL_TOKENS;
  if (parts.some(isLong)) return false;
  const results = parts.filter((part) => isToolResult(part.original));
  return (
    results.some((part) => candidates.has(part.handle)) &&
    results.every((part) => candidates.has(part.handle) || (part.mark !== undefined && isSettled(part)))
  );
}

/** Keeps the assistant's text, and writes the calls as lines with outcomes. Undefined if that is no smaller. */
function digestOf(view: TranscriptView, run: readonly Block[], count: Count): Outline | undefined {
  const span = spanOf(run);
  const outline = outlineOf(view, span, 'digest', { count });
  return outline.tokens < span.tokens ? outline : undefined;
}
