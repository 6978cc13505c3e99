import { PIPELINE_STEPS, type Policy } from '../pipeline/index.js';
import { boughtText } from '../pressure/index.js';
import type { Json } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import type { CompactionRecord, Plan, PlannedEdit, Projection, Trigger } from '../transcript/index.js';
import type { RunReport } from './prepared.js';
import type { Uses } from './services.js';
import type { Thread } from './thread.js';

/* Reports of runs: events for subscribers, and audit entries that operators read later. */

type Listeners = Uses<'audit' | 'stream'>;

export function reportTriggered(
  { audit, stream, plugins }: Listeners & Uses<'plugins'>,
  { kind, detail: reason }: Trigger,
  reading: Reading,
  { strategies: strategy = [], delegates }: Policy,
): void {
  const { pressure } = reading;
  // The plugin that is asked to compact.
  const compactor = delegates ? plugins.compactor?.name : undefined;
  stream.emit({ kind: 'triggered', reading, reason });
  audit.add('triggered', undefined, { trigger: kind, reason, pressure, strategy, compactor });
}

/** `attempted`: the strategies that the run may have tried. A record has its own. */
export function reportEnded(
  { stream, audit }: Listeners,
  report: RunReport,
  removedIds: RemovedIds = () => [],
  attempted: readonly string[] = [],
): void {
  const { kind, reason, plan, error, record, durationMs, strategy = attempted } = report;
  const stages = report.stages.map(({ stage, outcome, edits, before, after, faults }) => ({
    stage,
    outcome,
    edits,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    ...(faults.length > 0 && { faults: faults.map(({ message }) => message) }),
  }));
  if (record) {
    // Before the event, so that audit entries of what listeners do follow this one.
    audit.add('completed', record.id, { reason, stages, ...factsOf(record, removedIds) });
    stream.emit(completedEvent(record));
  } else if (kind === 'pending' && plan) reportPending({ stream, audit }, plan, { reason, stages });
  else if (error) {
    const { code } = error;
    audit.add('failed', undefined, { code, reason, strategy: attempted, stages, durationMs });
    stream.emit({ kind: 'failed', error });
  } else {
    const hooks = report.hooks?.map((line) => ({ ...line }));
    audit.add('noop', undefined, { reason, strategy, stages, hooks, durationMs });
    stream.emit({ kind: 'noop', reason });
  }
}

/** Reports a plan that waits for approval. */
export function reportPending(
  { stream, audit }: Listeners,
  { hash, before, after }: Plan,
  facts: Readonly<Record<string, Json>>,
): void {
  audit.add('pending', hash, facts);
  stream.emit({ kind: 'pending', plan: hash, tokensBefore: before.tokens, tokensAfter: after.tokens });
}

function completedEvent({ id, plan, durationMs, stageMs, calls = [] }: CompactionRecord) {
  const { before, after } = plan;
  return {
    kind: 'completed',
    recordId: id,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    durationMs,
    stageMs,
    calls: calls.map(boughtText),
  } as const;
}

/** The audit facts of a record: strategy, ids before and after, models, durations. */
function factsOf(record: CompactionRecord, removedIds: RemovedIds): Readonly<Record<string, Json>> {
  const { plan, durationMs, stageMs, calls = [], fallbacks = [], hooks = [] } = record;
  return {
    strategy: strategiesOf(plan.edits),
    edits: plan.edits.map((edit) => ({
      stage: edit.stage,
      reason: edit.reason,
      before: removedIds(edit),
      after: edit.kind === 'replace' ? [edit.messageId] : edit.replacement.map(({ id }) => id),
    })),
    tokensBefore: plan.before.tokens,
    tokensAfter: plan.after.tokens,
    models: [...new Set(calls.flatMap(({ model }) => (model === undefined ? [] : [model])))],
    calls: calls.length,
    fallbacks,
    hooks: hooks.map((line) => ({ ...line })),
    durationMs,
    stageMs,
  };
}

/** Names of the strategies that edits follow: delegate, prune, drop, summarize. */
export function strategiesOf(edits: readonly PlannedEdit[]): readonly string[] {
  const names = edits.map((edit) => {
    if (edit.stage === PIPELINE_STEPS.delegate) return 'delegate';
    if (edit.kind === 'replace') return 'prune';
    if (edit.stage === PIPELINE_STEPS.drop || edit.replacement.length === 0) return 'drop';
    return edit.replacement.some(({ label }) => label === 'summary') ? 'summarize' : 'prune';
  });
  return [...new Set(names)];
}

/** Ids of the messages that an edit took from the view. */
type RemovedIds = (edit: PlannedEdit) => readonly string[];

/**
 * The messages that the edits of a plan took from the view: for a span every message shown there, including earlier
 * summaries, without pins, which remain. Called when the thread already has the view after the plan.
 */
export function removedIdsOf(before: Projection, { log, projection }: Thread): RemovedIds {
  const remaining = new Set(projection.view.flatMap(({ source }) => (source ? [source.id] : [])));
  return (edit) => {
    if (edit.kind === 'replace') return [edit.messageId];
    const [first, last] = [log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq];
    const spanned = before.view.filter(({ from, to }) => from >= first && to <= last);
    return spanned.flatMap(({ source, message }) => (source && remaining.has(source.id) ? [] : [message.id]));
  };
}
