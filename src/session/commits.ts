import {
  fitsNever,
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
import { HOLDS_GAVE_WAY, takesHeld } from './held.js';
import type { Pieces } from './wiring.js';

/** How a plan came to be committed. */
interface Commit extends Pick<CompactionRecord, 'kind' | 'durationMs'> {
  /** What was bought for it, and what plugins and warnings say of it. */
  readonly bought?: Partial<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'hooks' | 'warnings'>> | undefined;
}

/** Makes records of plans: of compactions, and of the free work before a call and at the head of a run. */
export class Commits {
  constructor(private readonly of: Pick<Pieces, 'gauge' | 'planner' | 'summarizer' | 'thread' | 'timer'>) {}

  /** Makes a record of what was planned, and its draft the view. */
  commit(
    { plan, draft, states, stageMs }: Pick<Planned, 'plan' | 'draft' | 'states' | 'stageMs'>,
    { kind, durationMs, bought }: Commit,
  ): CompactionRecord {
    const { thread, gauge, summarizer } = this.of;
    const holdsGaveWay = takesHeld(plan.edits, thread.ledger.holds, thread.log);
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
      ...(holdsGaveWay && { warnings: [HOLDS_GAVE_WAY, ...(bought?.warnings ?? [])] }),
    };
    thread.commit(record, draft, states);
    // Else what now stands there could not get smaller either.
    if (holdsGaveWay) thread.ledger.release();
    gauge.rewritten();
    return record;
  }

  /**
   * Commits each pass that is due when its turn comes, by a record of its own, which keeps the view stable; it is no
   * compaction: no history, hooks or events. None where the run that follows by `trigger` is sure to be refused: what may
   * never be removed does not fit, and the ledger stays as it was.
   */
  *passes(policy: Policy, trigger: Trigger | undefined, isDue: (pass: Pass) => boolean): Steps<void> {
    if (!policy.passes.some(isDue)) return;
    if (trigger && (yield* fitsNever({ ...this.of.planner.input(trigger), policy }))) return;
    for (const pass of policy.passes)
      if (isDue(pass)) yield* this.#quietly(pass, (input) => planPass(input, pass));
  }

  /** Takes out reasoning signed behind a position of the log at which hooks add other content now. */
  stripMoved(behind: number): void {
    const why = 'a signature vouches for content that a hook had added, which has changed or moved';
    this.#stripStale(({ seq }) => seq > behind, why);
  }

  /** Takes out reasoning signed over compactions that no longer stand, and what was stale already when they were made. */
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
   * Takes out thoughts of the newest answer, where it recalled, that came to stand behind other words than they were thought over:
   * the log has what was said beside a recall with the client's own answer, behind what was recalled.
   */
  stripMovedByRecall(): void {
    const moved = movedByRecall(this.of.thread.log);
    if (moved.size === 0) return;
    const isStale = ({ messageId, part }: SignedThought): boolean => moved.has(`${messageId}#${part}`);
    this.#stripStale(
      isStale,
      'a signature vouches for words that were said beside a recall, and stand behind it',
    );
  }

  /** Takes out all signed reasoning: the provider refuses a signature, and does not say what of it holds. Says whether there was any. */
  stripRefused(): boolean {
    const { ledger } = this.of.thread;
    const before = ledger.head;
    this.#stripStale(() => true, 'the provider refuses a signature', true);
    return ledger.head !== before;
  }

  /** `why` goes into the record. Most logs have no such thought: to plan for those, all of a log that is new would be read at once. */
  #stripStale(isStale: (thought: SignedThought) => boolean, why: string, isRefused = false): void {
    const log = this.of.thread.log.between(0);
    const holds = ({ id: messageId, seq, parts }: LogMessage): boolean =>
      parts.some((one, part) => isSigned(one) && isStale({ messageId, seq, part }));
    if (!log.some(holds)) return;
    atOnce(
      this.#quietly({ kind: 'prune', detail: why }, (input) => planSignatures(input, isStale, isRefused)),
    );
  }

  *#quietly({ kind, detail }: Trigger, plan: (input: RunInput) => Made<RunOutcome | undefined>): Steps<void> {
    const { planner, thread, timer } = this.of;
    const started = timer();
    const input = planner.input({ kind, detail });
    const outcome = yield* madeIn(plan(input));
    const isCurrent = thread.ledger.head === input.base && thread.log === input.source.log;
    if (outcome?.kind === 'planned' && isCurrent)
      this.commit(outcome, { kind: 'prune', durationMs: timer() - started });
  }
}

/**
 * Signed thoughts of the newest answer, by message and part, that are moved by its recalls. One that led to words stands with the
 * recall and once more with those words: of the first such all that comes behind it is moved. Where there is none, an answer that
 * begins with words had some beside a recall, as far as anybody can tell, and one that begins with a thought had none.
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
