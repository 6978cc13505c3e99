import { isCarriedFor, listFor, type RunInput } from '../../pipeline/index.js';
import type { PostCompact, PreCompact, SeenMessage } from '../../spi/index.js';
import type { Reading } from '../../tokens/index.js';
import {
  copied,
  textOf,
  type CompactionRecord,
  type Message,
  type Part,
  type ViewMessage,
} from '../../transcript/index.js';
import type { Uses } from '../services.js';
import type { Thread } from '../thread.js';

type EventParts = Uses<'key' | 'gauge' | 'settings'>;

/** The event for hooks before a compaction. */
export function preCompactEvent(
  { key, gauge, settings }: EventParts,
  input: RunInput,
  reading: Reading,
  dryRun: boolean,
): PreCompact {
  const { tokens, budget, pressure } = reading;
  const { window } = budget;
  return Object.freeze({
    ...key,
    model: gauge.model,
    forced: input.forced,
    dryRun,
    reason: input.trigger.detail,
    tokens,
    budget: budget.tokens,
    target: input.policy.target,
    percent: 100 * (Number.isFinite(window) && window > 0 ? tokens / window : pressure),
    count: input.projection.view.length,
    kept: settings.thresholds.retainCount,
    messages: Object.freeze(listFor(input).map((message) => copyForHook(message) as SeenMessage)),
  });
}

/** The view before a compaction, for the event after it. */
export interface ViewBefore {
  readonly view: readonly ViewMessage[];
  readonly tokens: number;
}

/** The result of a compaction. */
export interface CompactionResult {
  readonly reason: string;
  readonly record?: CompactionRecord | undefined;
}

/** The event for hooks after a compaction. */
export function postCompactEvent(
  { key, gauge }: EventParts,
  { projection }: Thread,
  before: ViewBefore,
  { reason, record }: CompactionResult,
): PostCompact {
  const remaining = new Set(projection.view.flatMap(({ source }) => (source ? [source.id] : [])));
  const removed = before.view.flatMap(({ source }) => (source && !remaining.has(source.id) ? [source] : []));
  const summaries = (record?.plan.edits ?? []).flatMap((edit) =>
    edit.kind === 'replace'
      ? []
      : edit.replacement
          .filter((message) => !isCarriedFor(message))
          .map(({ parts }) => parts.map(textOf).join('\n')),
  );
  return Object.freeze({
    ...key,
    model: gauge.model,
    success: record !== undefined,
    reason,
    messagesBefore: before.view.length,
    messagesAfter: projection.view.length,
    tokensBefore: before.tokens,
    tokensAfter: gauge.read(projection).tokens,
    summaryLength: summaries.reduce((sum, text) => sum + text.length, 0),
    summaries: Object.freeze(summaries),
    superseded: Object.freeze(removed.map((message) => copyForHook(message))),
    ...(record && { record }),
  });
}

/** A frozen copy of a message, without the fields of its wire format and without references to the original. */
function copyForHook<T extends Message>({ wire: _, parts, ...rest }: T): Omit<T, 'wire'> {
  return copied({ ...rest, parts: parts.map(plain) }, { freeze: true }) as unknown as Omit<T, 'wire'>;
}

function plain({ wire: _, ...part }: Part): Part {
  if (part.type !== 'tool-result') return part;
  return { ...part, content: part.content.map((inner) => plain(inner) as (typeof part.content)[number]) };
}
