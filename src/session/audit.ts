import { PIPELINE_STEPS } from '../pipeline/index.js';
import type { Json, StoredEvent } from '../spi/index.js';
import type { CompactionRecord, PlannedEdit, Projection, Trigger } from '../transcript/index.js';
import type { RunReport } from './prepared.js';
import type { Thread } from './thread.js';

/** What was seen, whatever the ledger came to. All else is said of a decision, and falls with it. */
const SEEN = [
  'overflow',
  'trimmed-upstream',
  'over-window',
  'trimming-off',
  'prepared-alone',
  'text-bought',
  'limit-learned',
  'limits-forgotten',
  'plugin-failed',
  'given-back',
  'give-back-left-out',
  'recalled',
];
const COMPACTION = 'compaction.';

/** Whether an event of this kind still holds where another process was first, and what was decided is decided anew. */
export function standsAnyway(kind: string): boolean {
  return !kind.startsWith(COMPACTION) || SEEN.includes(kind.slice(COMPACTION.length));
}

/**
 * What happened to the compaction of a session, for operators: in order, and never taken back.
 * @hidden
 */
export class AuditTrail {
  readonly #clock: () => number;
  readonly #kept: StoredEvent[] = [];
  /** Hands what happens on to where it is stored. */
  onEvent: ((event: StoredEvent) => void) | undefined;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** What happened since the session was opened. */
  get events(): readonly StoredEvent[] {
    return this.#kept;
  }

  say(what: string, ref: string | undefined, body: Readonly<Record<string, Json | undefined>>): void {
    const event: StoredEvent = {
      kind: COMPACTION + what,
      ...(ref !== undefined && { ref }),
      at: this.#clock(),
      body,
    };
    this.#kept.push(event);
    this.onEvent?.(event);
  }

  /** `compactor`: the plugin that is asked to make it. */
  triggered(
    trigger: Trigger,
    pressure: number,
    strategy: readonly string[] = [],
    compactor?: string | undefined,
  ): void {
    this.say('triggered', undefined, {
      trigger: trigger.kind,
      reason: trigger.detail,
      pressure,
      strategy,
      ...(compactor !== undefined && { compactor }),
    });
  }

  /** `attempted`: what the run might have done; a record says itself what it did. */
  ended(report: RunReport, givenWay: GivenWay, attempted: readonly string[] = []): void {
    const { kind, reason, durationMs, record, error, plan } = report;
    const stages = report.stages.map(({ stage, outcome, edits, before, after, faults }) => ({
      stage,
      outcome,
      edits,
      tokensBefore: before.tokens,
      tokensAfter: after.tokens,
      ...(faults.length > 0 && { faults: faults.map(({ message }) => message) }),
    }));
    if (record) this.say('completed', record.id, { reason, stages, ...factsOf(record, givenWay) });
    else if (kind === 'pending' && plan) this.say('pending', plan.hash, { reason, stages });
    else if (error)
      this.say('failed', undefined, { code: error.code, reason, strategy: attempted, stages, durationMs });
    else
      this.say('noop', undefined, {
        reason,
        strategy: report.strategy ?? attempted,
        stages,
        ...(report.hooks && { hooks: report.hooks.map((line) => ({ ...line })) }),
        durationMs,
      });
  }
}

/** What a record says for itself: strategy, ids before and after, models, durations. */
function factsOf(record: CompactionRecord, givenWay: GivenWay): Readonly<Record<string, Json>> {
  const { plan, durationMs, stageMs, calls = [], fallbacks = [], hooks = [] } = record;
  return {
    strategy: strategiesOf(plan.edits),
    edits: plan.edits.map((edit) => ({
      stage: edit.stage,
      reason: edit.reason,
      before: givenWay(edit),
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

/** The names operators know: what was replaced, what became a summary, what was dropped. */
export function strategiesOf(edits: readonly PlannedEdit[]): readonly string[] {
  const names = edits.map((edit) => {
    if (edit.stage === PIPELINE_STEPS.delegate) return 'delegate';
    if (edit.kind === 'replace') return 'prune';
    if (edit.stage === PIPELINE_STEPS.drop || edit.replacement.length === 0) return 'drop';
    return edit.replacement.some(({ label }) => label === 'summary') ? 'summarize' : 'prune';
  });
  return [...new Set(names)];
}

/** Ids of what an edit took from the view. */
export type GivenWay = (edit: PlannedEdit) => readonly string[];

/**
 * What the edits of a plan took from the view: of a span every message that stood there, earlier summaries too; pins stay
 * and are none of them. Asked when the thread holds the view after the plan.
 */
export function givenWayOf(before: Projection, { log, projection }: Thread): GivenWay {
  const stands = new Set(projection.view.flatMap(({ source }) => (source ? [source.id] : [])));
  return (edit) => {
    if (edit.kind === 'replace') return [edit.messageId];
    const [first, last] = [log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq];
    const spanned = before.view.filter(({ from, to }) => from >= first && to <= last);
    return spanned.flatMap(({ source, message }) => (source && stands.has(source.id) ? [] : [message.id]));
  };
}
