import { z } from 'zod/v4';
import {
  blocksOf,
  defineStage,
  type Supersede,
  outlineOf,
  overheadOf,
  runsOf,
  spanHandle,
  spanOf,
  supersedeBy,
  type Block,
  type Message,
  type ViewMessage,
  isToolResult,
  shownParts,
  type Count,
  type TranscriptView,
} from '../../spi/index.js';

const CollapseOptions = z.strictObject({
  minRun: z.int().min(2).max(100).default(2).describe('Fewest neighbours that are merged into one.'),
});
type CollapseOptions = z.infer<typeof CollapseOptions>;

/** Joins adjacent messages: those of one role into one with the same text, spent tool exchanges into a line each. */
export const collapse = defineStage<CollapseOptions>({
  name: 'collapse',
  summary:
    'Merges neighbouring messages of one role, and runs of already stubbed tool exchanges into a line each.',
  options: CollapseOptions,
  *plan(view, goal) {
    const blocks = blocksOf(view);
    yield;
    const { minRun } = goal.options;
    const isLong = (run: readonly Block[]): boolean => run.length >= minRun;
    const alikes = runsOf(blocks, (block, before) => isMergeable(block) && (!before || alike(before, block)));
    const merges = alikes.filter(isLong).flatMap(mergeRun);
    yield;
    const spent = runsOf(blocks, isSpent).filter(isLong);
    const found = [...merges, ...spent.flatMap((run) => digestRun(view, run, goal.count))];
    yield;
    const edits: Supersede[] = [];
    let { reclaim } = goal;
    for (const { edit, saved } of found.sort((a, b) => a.from - b.from)) {
      if (reclaim <= 0) break;
      edits.push(edit);
      reclaim -= saved;
    }
    return { edits };
  },
});

/** Adjacent plain messages of one role and origin become one message with all their texts, verbatim. */
function mergeRun(run: readonly Block[]): Collapsible[] {
  const span = spanOf(run);
  const saved = span.exchanges.slice(1).reduce((sum, exchange) => sum + overheadOf(exchange), 0);
  if (saved <= 0) return [];
  const { role, origin, name, label } = shownOf(run[0]!).message;
  const message: Message = {
    id: `merged:${spanHandle(span.fromId, span.toId)}`,
    role,
    origin,
    ...(name !== undefined && { name }),
    ...(label !== undefined && { label }),
    parts: span.exchanges.flatMap((exchange) => exchange.messages[0]!.message.parts),
  };
  const reason = `${run.length} neighbouring ${role} messages merged`;
  return [{ edit: supersedeBy(span, [message], reason), saved, from: span.from }];
}

function shownOf(block: Block): ViewMessage {
  return block.exchanges[0]!.messages[0]!;
}

/**
 * Texts only: reasoning must stay in the message in which it was signed, the bytes of a file are in its own message,
 * and a marker is a request of its own.
 */
function isMergeable(block: Block): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'plain') return false;
  const { message } = shownOf(block);
  if (message.role !== 'user' && message.role !== 'assistant') return false;
  return message.parts.every((part) => part.type === 'text');
}

function alike(a: Block, b: Block): boolean {
  const left = shownOf(a).message;
  const right = shownOf(b).message;
  return (
    left.role === right.role &&
    left.origin === right.origin &&
    left.name === right.name &&
    left.label === right.label
  );
}

/** A possible edit and its saving. */
interface Collapsible {
  readonly edit: Supersede;
  readonly saved: number;
  /** Log position, for sorting from oldest to newest. */
  readonly from: number;
}

/** A run of steps whose results were all replaced before becomes one message with a line per call. */
function digestRun(view: TranscriptView, run: readonly Block[], count: Count): Collapsible[] {
  const span = spanOf(run);
  const { message, tokens } = outlineOf(view, span, 'digest', { count });
  const saved = span.tokens - tokens;
  if (saved <= 0) return [];
  const reason = `${run.length} exchanges with replaced results became one digest`;
  return [{ edit: supersedeBy(span, [message], reason), saved, from: span.from }];
}

function isSpent(block: Block): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const results = exchange.messages.flatMap(shownParts).filter((part) => isToolResult(part.original));
  return results.length > 0 && results.every((part) => part.mark !== undefined);
}
