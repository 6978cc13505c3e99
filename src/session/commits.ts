import {
  neverFits,
  onlyStripsReasoning,
  planPass,
  planSignatures,
  type Pass,
  type Planned,
  type Policy,
  type RunInput,
  type RunOutcome,
  type SignedThought,
} from '../pipeline/index.js';
import {
  atOnce,
  isSigned,
  madeIn,
  type CompactionRecord,
  type Log,
  type LogMessage,
  type Made,
  type Steps,
  type Trigger,
} from '../transcript/index.js';
import { editsHeld, HOLDS_RELEASED, replacesUnread, UNREAD_COMPACTED } from './relax-if-stuck.js';
import type { Pieces } from './wiring.js';

/** The circumstances of a commit. */
interface Commit extends Pick<CompactionRecord, 'kind' | 'durationMs'> {
  /** The summarizer calls made for the plan, and its fallbacks, hooks and warnings. */
  readonly bought?: Partial<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'hooks' | 'warnings'>> | undefined;
}

/** Commits plans as records: compactions, and the passes before a call or at the start of a run, which cost nothing. */
export class Commits {
  constructor(
    private readonly pieces: Pick<Pieces, 'gauge' | 'planner' | 'summarizer' | 'thread' | 'timer'>,
  ) {}

  /** Commits a plan as a record, and makes its draft the view. */
  commit(
    { plan, draft, states, stageMs }: Pick<Planned, 'plan' | 'draft' | 'states' | 'stageMs'>,
    { kind, durationMs, bought }: Commit,
  ): CompactionRecord {
    const { thread, gauge, summarizer } = this.pieces;
    const holdsGaveWay = editsHeld(plan.edits, thread.ledger.holds, thread.log);
    const warnings = [
      ...(holdsGaveWay ? [HOLDS_RELEASED] : []),
      ...(replacesUnread(plan.edits, thread.log) ? [UNREAD_COMPACTED] : []),
      ...(bought?.warnings ?? []),
    ];
    const record: CompactionRecord = {
      id: `c${thread.ledger.records.length + 1}`,
      kind,
      status: 'committed',
      plan,
      committedAt: plan.inputs.clock,
      durationMs,
      stageMs,
      model: gauge.model,
      unchangedTokens: Math.round(draft.tokensBefore(draft.changedFrom) * plan.inputs.scale),
      ...(kind === 'compaction' && { summarizer: summarizer.choice }),
      ...bought,
      ...(warnings.length > 0 && { warnings }),
    };
    thread.commit(record, draft, states);
    // Otherwise the replacement of the held span could not be made smaller either.
    if (holdsGaveWay) thread.ledger.release();
    gauge.rewritten();
    return record;
  }

  /**
   * Commits each pass that is due, as a record of its own, which keeps the view stable. A pass is no compaction: it has
   * no history, hooks or events. If the run that follows by `trigger` is sure to fail because the floor does not fit,
   * no pass is committed, and the ledger remains unchanged.
   */
  *passes(policy: Policy, trigger: Trigger | undefined, isDue: (pass: Pass) => boolean): Steps<void> {
    if (!policy.passes.some(isDue)) return;
    if (trigger && (yield* neverFits({ ...this.pieces.planner.input(trigger), policy }))) return;
    for (const pass of policy.passes)
      if (isDue(pass)) yield* this.#prune(pass, (input) => planPass(input, pass));
  }

  /** Removes signed reasoning after a log position at which hooks now add different content. */
  stripMoved(after: number): void {
    const why = 'a signature vouches for content that a hook had added, which has changed or moved';
    this.#stripStale(({ seq }) => seq > after, why);
  }

  /** Removes reasoning signed over compactions that are now undone, and reasoning that was stale before them. */
  stripUndone(undone: readonly CompactionRecord[]): void {
    if (undone.length === 0) return;
    const compactions = undone.filter((record) => !onlyStripsReasoning(record));
    const since = Math.min(...compactions.map(({ plan }) => plan.inputs.logLength));
    const stripped = undone.filter(onlyStripsReasoning).flatMap(({ plan }) => plan.edits);
    const stale = new Set(stripped.flatMap((edit) => (edit.kind === 'replace' ? [edit.messageId] : [])));
    const isStale = ({ messageId, seq }: SignedThought): boolean => seq >= since || stale.has(messageId);
    this.#stripStale(isStale, 'a signature vouches for a compaction that was taken back');
  }

  /**
   * Removes thoughts of the newest answer that now follow other words than those they were signed over. This happens if
   * the answer used recall: the log keeps text next to a recall call in the client's own answer, after the recall.
   */
  stripMovedByRecall(): void {
    const moved = movedByRecall(this.pieces.thread.log);
    if (moved.size === 0) return;
    const isStale = ({ messageId, part }: SignedThought): boolean => moved.has(`${messageId}#${part}`);
    this.#stripStale(isStale, 'a signature covers words that were next to a recall, and are now after it');
  }

  /** Removes all signed reasoning: a refusal of a signature does not say which one. Returns whether there was any. */
  stripRefused(): boolean {
    const { ledger } = this.pieces.thread;
    const before = ledger.head;
    this.#stripStale(() => true, 'the provider refuses a signature', true);
    return ledger.head !== before;
  }

  /** `why` goes into the record. A log without such a thought gets no plan: a plan reads all new messages at once. */
  #stripStale(isStale: (thought: SignedThought) => boolean, why: string, isRefused = false): void {
    const log = this.pieces.thread.log.between(0);
    const holds = ({ id: messageId, seq, parts }: LogMessage): boolean =>
      parts.some((one, part) => isSigned(one) && isStale({ messageId, seq, part }));
    if (!log.some(holds)) return;
    atOnce(this.#prune({ kind: 'prune', detail: why }, (input) => planSignatures(input, isStale, isRefused)));
  }

  *#prune({ kind, detail }: Trigger, plan: (input: RunInput) => Made<RunOutcome | undefined>): Steps<void> {
    const { planner, thread, timer } = this.pieces;
    const started = timer();
    const input = planner.input({ kind, detail });
    const outcome = yield* madeIn(plan(input));
    const isCurrent = thread.ledger.head === input.base && thread.log === input.source.log;
    if (outcome?.kind === 'planned' && isCurrent)
      this.commit(outcome, { kind: 'prune', durationMs: timer() - started });
  }
}

/**
 * Signed thoughts of the newest answer, by message and part, that its recalls moved. A thought that led to text is in
 * the log twice: with the recall and with that text. All thoughts after the first such thought are moved. Without such
 * a thought, an answer that begins with text is taken to have had text next to a recall, and any other answer not.
 */
function movedByRecall(log: Log): ReadonlySet<string> {
  let newest = log.length - 1;
  while (newest >= 0 && log.at(newest).role !== 'assistant') newest--;
  let from = newest;
  while (from > 0 && log.at(from - 1).unknownToClient) from--;
  if (from === newest || log.at(newest).unknownToClient) return new Set();
  const own = log.at(newest).parts;
  const shown = new Set(own.map((part) => isSigned(part) && part.signature));
  const thoughts = log
    .between(from, newest)
    .flatMap(({ id, seq, parts }) =>
      parts.flatMap((part, at) =>
        isSigned(part) ? [{ key: `${id}#${at}`, seq, signature: part.signature }] : [],
      ),
    );
  const first = thoughts.findIndex(({ seq, signature }) => seq < newest && shown.has(signature));
  if (first < 0 && own[0]?.type === 'reasoning') return new Set();
  return new Set(thoughts.slice(first + 1).map(({ key }) => key));
}
