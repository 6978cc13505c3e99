import {
  isSettled,
  noteOfResult,
  oneLine,
  quoted,
  remembered,
  readingResults,
  stubFor,
  textOf,
  type Count,
  type ResultPart,
  type StageGoal,
  type Steps,
  type ToolCallPart,
  type ToolResultPart,
  type TranscriptView,
} from '../../spi/index.js';
import type { SnipOptions } from './options.js';

/** Newest tool output that stays by default, in tokens and as a share of a small budget. */
const PROTECTED_TOKENS = 40_000;
const PROTECTED_SHARE = 0.3;

/** In their order of removal. */
const RESULT_CLASSES = ['reads', 'expired', 'unreferenced', 'capped'] as const;
type ResultClass = (typeof RESULT_CLASSES)[number];

/** A result that may go, and its replacement. */
export interface Candidate {
  readonly result: ResultPart;
  readonly cause: ResultClass;
  readonly reason: string;
  readonly stub: string;
  /** Tokens that the stub saves; 0 for a tiny result, which can only go with its whole exchange. */
  readonly saved: number;
  /** Among the newest output, or of no class: may go only while a cap on tool results is exceeded. */
  readonly isShielded: boolean;
}

/** Every result that could go, in order of removal. */
export function* candidatesOf(view: TranscriptView, goal: StageGoal<SnipOptions>): Steps<Candidate[]> {
  const { options, count } = goal;
  const results = yield* readingResults(view);
  const expired = yield* expiredOf(results, options);
  const protectTokens =
    options.protectTokens ?? Math.min(PROTECTED_TOKENS, PROTECTED_SHARE * goal.budget.tokens);
  const candidates: Candidate[] = [];
  for (const result of results) {
    yield;
    if (isSettled(result) || !isEvictable(result.tool, options)) continue;
    if (result.exchange.turnsAgo < options.protectTurns) continue;
    const cause = classOf(view, result, expired, options) ?? (goal.reclaimResults > 0 ? CAPPED : undefined);
    if (!cause) continue;
    const { stub, saved } = stubOf(result, view, cause.status, options.notice, count);
    if (saved <= 0 && options.mode === 'stub') continue;
    const isShielded = cause === CAPPED || result.newer <= protectTokens;
    candidates.push({ result, cause: cause.name, reason: cause.reason, stub, saved, isShielded });
  }
  return RESULT_CLASSES.flatMap((name) => candidates.filter(({ cause }) => cause === name));
}

interface Reason {
  readonly name: ResultClass;
  readonly status?: string;
  readonly reason: string;
}

/** Last of all, and with any setting of `classes`: one tier must not starve the dialogue. */
const CAPPED: Reason = { name: 'capped', status: 'cleared', reason: 'tool results are above their cap' };

function classOf(
  view: TranscriptView,
  result: ResultPart,
  expired: ReadonlySet<ResultPart>,
  { classes }: SnipOptions,
): Reason | undefined {
  // Expiry does not depend on the tokens to reclaim, so it comes before the other classes.
  if (classes.includes('expired') && expired.has(result)) {
    return { name: 'expired', status: 'expired', reason: 'past its retention' };
  }
  const exchange = view.exchangeOf(result.exchange.from);
  const status = classes.includes('reads') ? view.references.readStatus(exchange) : 'current';
  if (status === 'repeated')
    return { name: 'reads', status: 'asked again later', reason: 'asked again later' };
  const isUsed = view.references.lastUse(exchange) !== undefined;
  const mayBeUnreferenced = classes.includes('unreferenced') && !isUsed;
  if (status === 'superseded') {
    const cause = { status: 'changed since', reason: 'what was read has changed since' };
    if (view.references.supersededBy(exchange) === 'rewrite') return { name: 'reads', ...cause };
    // Most of an edited file is still as it was read: of the facts that agents needed again, 30 were last in such a
    // read, and none in a read of a file that was rewritten as a whole. The result goes only if nothing refers to it.
    return mayBeUnreferenced ? { name: 'unreferenced', ...cause } : undefined;
  }
  return mayBeUnreferenced ? { name: 'unreferenced', reason: 'nothing later refers to it' } : undefined;
}

/** Results hardly larger than a stub are counted exactly, so that no edit is larger than the replaced content. */
const WORTH_COUNTING = 4;

function stubOf(
  result: ResultPart,
  { mark }: TranscriptView,
  status: string | undefined,
  notice: string | null,
  count: Count,
): { stub: string; saved: number } {
  const { tool, call, tokens, shown, original } = result;
  const handle = mark(result.handle);
  const size = result.source.size.parts[result.index]?.tokens ?? tokens;
  const { stub, taken } = writeStub(original, { tool, call, size, handle, status, notice, count });
  const isClose = tokens <= WORTH_COUNTING * taken;
  const hasFiles = original.content.some((part) => part.type === 'file');
  const before = isClose && !hasFiles && shown ? Math.min(tokens, count(textOf(shown))) : tokens;
  const saved = before - taken;
  return { stub, saved: saved < MIN_SAVED ? 0 : saved };
}

/** A saving of fewer tokens is not worth the loss of the result. */
const MIN_SAVED = 20;
/** Most characters of a call's outcome in a stub. */
const ENDING_CHARS = 90;

type StubRequest = {
  readonly tool: string | undefined;
  readonly call: ToolCallPart | undefined;
  /** Tokens of the whole result. */
  readonly size: number;
  readonly handle: string;
  readonly status: string | undefined;
  readonly notice: string | null;
  readonly count: Count;
};

const writeStub = remembered(
  (original: ToolResultPart, { tool, call, size, handle, status, notice, count }: StubRequest) => {
    const { ending, line } = noteOfResult(call, original);
    const said =
      ending === 'unknown' || line === '' ? undefined : `${ending}: ${quoted(oneLine(line, ENDING_CHARS))}`;
    const stub = notice ?? stubFor({ tool, tokens: size, handle, status, said });
    return { stub, taken: count(stub) };
  },
);

/** Results that expire by their tool's policy, by age in turns or by count. Takes all results, oldest first. */
function* expiredOf(results: readonly ResultPart[], options: SnipOptions): Steps<Set<ResultPart>> {
  const { default: usual, tools } = options.retention;
  const expired = new Set<ResultPart>();
  const newerOf = new Map<string, number>();
  for (const result of results.toReversed()) {
    yield;
    const tool = result.tool ?? '';
    const { turns, count } = Object.hasOwn(tools, tool) ? tools[tool]! : usual;
    const newer = newerOf.get(tool) ?? 0;
    newerOf.set(tool, newer + 1);
    const tooOld = turns !== undefined && result.exchange.turnsAgo >= turns;
    const tooMany = count !== undefined && newer >= count;
    if (tooOld || tooMany) expired.add(result);
  }
  return expired;
}

/** Whether snip may remove results of a tool. */
function isEvictable(tool: string | undefined, { protectedTools, retention }: SnipOptions): boolean {
  if (tool === undefined) return true;
  const named = Object.hasOwn(retention.tools, tool) ? retention.tools[tool] : undefined;
  const isProtected = (name: string): boolean => name.toLowerCase() === tool.toLowerCase();
  return named?.neverEvict !== true && !protectedTools.some(isProtected);
}
