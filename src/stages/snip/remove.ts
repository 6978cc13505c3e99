import {
  blocksOf,
  callLabel,
  digestMessage,
  isSettled,
  isToolCall,
  isToolResult,
  overheadOf,
  proseOf,
  runsOf,
  shownParts,
  spanHandle,
  spanOf,
  type Block,
  type Count,
  type Message,
  type Supersede,
  type TranscriptView,
  type ViewExchange,
} from '../../spi/index.js';
import type { Candidate } from './candidates.js';

/** More calls than this are counted, not named: a digest is one short message. */
const NAMED_CALLS = 12;

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
    const replacement = digestOf([block], count);
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
    const digest = digestOf(run, count);
    if (!digest) return [];
    const { fromId, toId } = spanOf(run);
    const reason = `${run.length} tool exchange${run.length === 1 ? '' : 's'} nothing needs any more`;
    return [{ kind: 'supersede', fromId, toId, replacement: digest.messages, reason }];
  });
}

function isRemovable(block: Block, candidates: ReadonlySet<string>): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const results = exchange.messages.flatMap(shownParts).filter((part) => isToolResult(part.original));
  return (
    results.some((part) => candidates.has(part.handle)) &&
    results.every((part) => candidates.has(part.handle) || (part.mark !== undefined && isSettled(part)))
  );
}

interface Digest {
  readonly messages: readonly Message[];
  readonly tokens: number;
}

/**
 * What the assistant said stays word for word, the calls are named. Where that would be no smaller: nothing at all, if
 * nothing was said; undefined otherwise.
 */
function digestOf(run: readonly Block[], count: Count): Digest | undefined {
  const { fromId, toId, tokens: before, exchanges } = spanOf(run);
  const handle = spanHandle(fromId, toId);
  const steps = exchanges.flatMap((exchange) => exchange.messages.map((shown) => shown.message));
  const said = steps
    .filter((step) => step.role === 'assistant')
    .map((step) => proseOf(step).trim())
    .filter((text) => text !== '');
  const labels = steps.flatMap((step) => step.parts.filter(isToolCall).map(callLabel));
  const lines = [...said, `[Removed: ${listed(labels)}; recall ${handle}]`];
  const tokens = count(lines.join('\n')) + overheadOf(exchanges[0]!);
  if (tokens < before) return { messages: [digestMessage(handle, lines)], tokens };
  return said.length === 0 ? { messages: [], tokens: before } : undefined;
}

function listed(labels: readonly string[]): string {
  const all = [...new Set(labels)];
  const named = all.slice(0, NAMED_CALLS).join('; ');
  return all.length > NAMED_CALLS ? `${named}; and ${all.length - NAMED_CALLS} more` : named;
}
