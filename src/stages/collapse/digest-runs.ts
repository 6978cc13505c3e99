import { callsOf, proseOf, type Count } from '../../outline/index.js';
import type { TranscriptView, ViewExchange } from '../../spi/index.js';
import { isToolResult, spanHandle } from '../../transcript/index.js';
import { digestMessage } from '../digest.js';
import { shownParts } from '../results.js';
import { overheadOf, runsOf, spanOf, type Block } from '../spans.js';
import type { Collapsible } from './collapsible.js';

/** Runs of steps whose results have all been replaced before become one message with a line per call. */
export function digestRuns(
  view: TranscriptView,
  blocks: readonly Block[],
  minRun: number,
  count: Count,
): Collapsible[] {
  return runsOf(blocks, isSpent)
    .filter((run) => run.length >= minRun)
    .flatMap((run) => digested(view, run, count));
}

function digested(view: TranscriptView, run: readonly Block[], count: Count): Collapsible[] {
  const span = spanOf(run);
  const { fromId, toId, from } = span;
  const handle = spanHandle(fromId, toId);
  const lines = [
    `[${run.length} earlier tool exchanges; recall ${handle}. Tool output in quotation marks.]`,
    ...run.flatMap((block) => linesOf(view, block.exchanges[0]!)),
  ];
  const message = digestMessage(handle, lines);
  const saved = span.tokens - count(lines.join('\n')) - overheadOf(span.exchanges[0]!);
  if (saved <= 0) return [];
  const reason = `${run.length} exchanges with replaced results became one digest`;
  return [{ edit: { kind: 'supersede', fromId, toId, replacement: [message], reason }, saved, from }];
}

/** What the assistant said stays word for word: only the calls become lines. */
function linesOf(view: TranscriptView, exchange: ViewExchange): string[] {
  const originals = view.originals(exchange.from, exchange.to);
  const prose = originals
    .filter((message) => message.role === 'assistant')
    .map((message) => proseOf(message).trim());
  return [...prose.filter((text) => text !== ''), ...callsOf(originals).map(({ line }) => line)];
}

function isSpent(block: Block): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const results = exchange.messages.flatMap(shownParts).filter((part) => isToolResult(part.original));
  return results.length > 0 && results.every((part) => part.mark !== undefined);
}
