import {
  blocksOf,
  digestMessage,
  isSettled,
  isToolCall,
  isToolResult,
  overheadOf,
  runsOf,
  shownParts,
  spanHandle,
  spanOf,
  type Block,
  type Count,
  type Digest,
  type Message,
  type Supersede,
  type TranscriptView,
  type ViewExchange,
  type ViewMessage,
} from '../../spi/index.js';
import type { Candidate } from './candidates.js';

/** A call of more is something the agent wrote (an edit, a plan, a script): it stays, trimmed or not, and its result becomes a stub. */
const CALL_TOKENS = 60;

/**
 * Exchanges that could leave as a whole, since each of their results is a candidate or went before, and what each would
 * save at least: alone, with a digest of its own. Runs share one digest and save more.
 */
export function removableExchanges(
  view: TranscriptView,
  candidates: readonly Candidate[],
  count: Count,
): Map<ViewExchange, number> {
  const handles = new Set(candidates.map(({ result }) => result.handle));
  const removable = new Map<ViewExchange, number>();
  for (const block of blocksOf(view)) {
    if (!isRemovable(block, handles)) continue;
    const replacement = digestOf(view, [block], count);
    if (replacement) removable.set(block.exchanges[0]!, Math.max(1, block.tokens - replacement.tokens));
  }
  return removable;
}

/** Each run of exchanges that go gives way to one digest. */
export function removeRuns(
  view: TranscriptView,
  going: ReadonlySet<ViewExchange>,
  count: Count,
): Supersede[] {
  if (going.size === 0) return [];
  const runs = runsOf(blocksOf(view), (block) => going.has(block.exchanges[0]!));
  return runs.flatMap((run) => {
    const digest = digestOf(view, run, count);
    if (!digest) return [];
    const { fromId, toId } = spanOf(run);
    const reason = `${run.length} tool exchange${run.length === 1 ? '' : 's'} nothing needs any more`;
    return [{ kind: 'supersede', fromId, toId, replacement: [digest.message], reason }];
  });
}

function isRemovable(block: Block, candidates: ReadonlySet<string>): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const parts = exchange.messages.flatMap(shownParts);
  if (
    parts.some(
      ({ original, source, index }) =>
        isToolCall(original) && (source.size.parts[index]?.tokens ?? 0) > CALL_TOKENS,
    )
  )
    return false;
  const results = parts.filter((part) => isToolResult(part.original));
  return (
    results.some((part) => candidates.has(part.handle)) &&
    results.every((part) => candidates.has(part.handle) || (part.mark !== undefined && isSettled(part)))
  );
}

interface Standing {
  readonly message: Message;
  readonly tokens: number;
}

/** Digests by the first message of their span: what is over says the same in every run. */
const known = new WeakMap<ViewMessage, Digest & { readonly to: number }>();

/** What the assistant said stays, the calls are a line with their outcome. Undefined where that would be no smaller. */
function digestOf(view: TranscriptView, run: readonly Block[], count: Count): Standing | undefined {
  const { from, to, fromId, toId, tokens: before, exchanges } = spanOf(run);
  const handle = spanHandle(fromId, toId);
  const first = exchanges[0]!.messages[0]!;
  let drawn = known.get(first);
  if (drawn?.to !== to) {
    drawn = { to, ...view.digest({ from, to, handle, maxTokens: Infinity, count }) };
    known.set(first, drawn);
  }
  const { text, tokens: textTokens } = drawn;
  const tokens = textTokens + overheadOf(exchanges[0]!);
  return tokens < before ? { message: digestMessage(handle, [text]), tokens } : undefined;
}
