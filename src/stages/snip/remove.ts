import { callLabel, proseOf, type Count } from '../../outline/index.js';
import type { TranscriptView, ViewExchange } from '../../spi/index.js';
import {
  isToolCall,
  isToolResult,
  partHandle,
  spanHandle,
  type Message,
  type Supersede,
} from '../../transcript/index.js';
import { digestMessage } from '../digest.js';
import { isSettled, shownParts } from '../results.js';
import { blocksOf, overheadOf, runsOf, spanOf, type Block } from '../spans.js';
import type { Candidate } from './candidates.js';
import type { Taken } from './taken.js';

/** More calls than this are counted, not named: a digest is one short message. */
const NAMED_CALLS = 12;

/**
 * Runs of exchanges all of whose results were chosen leave the view, each run for one digest. Exchanges that hold
 * anything else stay, and get stubs.
 */
export function removeExchanges(view: TranscriptView, chosen: readonly Candidate[], count: Count): Taken {
  const keys = new Set(chosen.map(({ result }) => partHandle(result.source.id, result.index)));
  const edits: Supersede[] = [];
  const gone = new Set<ViewExchange>();
  for (const run of runsOf(blocksOf(view), (block) => isRemovable(block, keys))) {
    const replacement = digestOf(run, count);
    if (!replacement) continue;
    const { fromId, toId, exchanges } = spanOf(run);
    const reason = `${run.length} tool exchange${run.length === 1 ? '' : 's'} nothing needs any more`;
    edits.push({ kind: 'supersede', fromId, toId, replacement, reason });
    for (const exchange of exchanges) gone.add(exchange);
  }
  return { edits, gone };
}

function isRemovable(block: Block, chosen: ReadonlySet<string>): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const results = exchange.messages.flatMap(shownParts).filter((part) => isToolResult(part.original));
  return (
    results.some((part) => chosen.has(part.handle)) &&
    results.every((part) => chosen.has(part.handle) || (part.mark !== undefined && isSettled(part)))
  );
}

/** What the assistant said stays word for word, the calls are named. Undefined where that would not be smaller. */
function digestOf(run: readonly Block[], count: Count): Message[] | undefined {
  const { fromId, toId, tokens, exchanges } = spanOf(run);
  const handle = spanHandle(fromId, toId);
  const steps = exchanges.flatMap((exchange) => exchange.messages.map((shown) => shown.message));
  const prose = steps.filter((step) => step.role === 'assistant').map((step) => proseOf(step).trim());
  const labels = steps.flatMap((step) => step.parts.filter(isToolCall).map(callLabel));
  const said = prose.filter((text) => text !== '');
  const lines = [...said, `[Removed: ${listed(labels)}; recall ${handle}]`];
  if (count(lines.join('\n')) + overheadOf(exchanges[0]!) < tokens) return [digestMessage(handle, lines)];
  return said.length === 0 ? [] : undefined;
}

function listed(labels: readonly string[]): string {
  const named = [...new Set(labels)].slice(0, NAMED_CALLS);
  const rest = new Set(labels).size - named.length;
  return rest > 0 ? `${named.join('; ')}; and ${rest} more` : named.join('; ');
}
