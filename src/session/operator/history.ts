import { SpillwayError } from '../../errors/index.js';
import { onlyStripsReasoning } from '../../pipeline/index.js';
import {
  appendedAt,
  Log,
  endsOf,
  FLAGS,
  type CompactionRecord,
  type Flag,
  type Hold,
  type LedgerEvent,
  type ReadonlyLog,
  type WaitingPlan,
} from '../../transcript/index.js';
import type { Pieces } from '../wiring.js';

/** The compactions to undo; if none is named, the newest one in force. */
export interface UndoRequest {
  /** The single record to undo; refused if later records build on it. */
  readonly record?: string;
  /** Undo this record and all later ones. */
  readonly to?: string;
}

/** Returns those of the live records, oldest first, that a shortened log cannot keep. */
type SelectRecords = (live: readonly CompactionRecord[], shorter: ReadonlyLog) => readonly CompactionRecord[];

/** Changes to the history of a session: undo of compactions, rollback of the log, and flags of operators. */
export class History {
  constructor(private readonly pieces: Pick<Pieces, 'audit' | 'commits' | 'gauge' | 'stream' | 'thread'>) {}

  /** Completes a request that names no record with the newest compaction in force. */
  withDefault(request: UndoRequest): UndoRequest {
    if (request.record !== undefined || request.to !== undefined) return request;
    const newest = this.pieces.thread.ledger.live.findLast((one) => !onlyStripsReasoning(one));
    return newest ? { record: newest.id } : request;
  }

  /** Undoes compactions, newest first, and holds their spans. */
  undo({ record, to }: UndoRequest): readonly CompactionRecord[] {
    const { audit, gauge, stream } = this.pieces;
    const { ledger, log } = this.pieces.thread;
    const first = to ?? record;
    if (first === undefined) return [];
    const place = ledger.records.indexOf(this.#recordOf(first));
    const later = ledger.live.filter(
      (one) => ledger.records.indexOf(one) > place && !onlyStripsReasoning(one),
    );
    if (to === undefined && later.length > 0) {
      throw new SpillwayError('UNDO_BLOCKED', {
        subject: `record ${first}`,
        found: `${later.map(({ id }) => id).join(', ')} built on it`,
        remedy: `Undo the newest first, or go back to here: undo({ to: '${first}' }) undoes all of them.`,
        facts: { later: later.map(({ id }) => id) },
      });
    }
    const undone = ledger.undoTo(first, (one) =>
      onlyStripsReasoning(one) || one.plan.edits.length === 0 ? undefined : spanOf(one, log),
    );
    if (undone.length === 0) return [];
    this.pieces.thread.redraw();
    gauge.rewritten();
    this.pieces.commits.stripUndone(undone);
    for (const { id } of undone) audit.add('undone', id, { reason: 'asked by an operator' });
    stream.emit({ kind: 'undone', recordIds: undone.map(({ id }) => id) });
    return undone;
  }

  /** Length of the log up to and including a message. Throws `MESSAGE_UNKNOWN`. */
  lengthUpTo(messageId: string): number {
    const last = this.pieces.thread.log.find(messageId);
    if (last) return last.seq + 1;
    throw new SpillwayError('MESSAGE_UNKNOWN', {
      subject: 'message to go back to',
      found: messageId,
      remedy: 'Name a message of the log.',
    });
  }

  /** Rolls the log back to a length. Records made on a longer log are taken off, unless `going` selects others. */
  rollBack(
    length: number,
    selectRecords: SelectRecords = (live) => live.filter(({ plan }) => plan.inputs.logLength > length),
  ): readonly CompactionRecord[] {
    const { audit, gauge, stream } = this.pieces;
    const { log, ledger } = this.pieces.thread;
    if (length >= log.length) return [];
    const before = ledger.left;
    const shorter = new Log();
    for (const one of log.left) shorter.leave(one);
    for (let seq = 0; seq < log.length; seq++) {
      const message = log.at(seq);
      if (seq < length) shorter.append(message, message.size);
      else shorter.leave({ message, place: appendedAt(seq, before) });
    }
    const records = selectRecords(ledger.live, shorter)
      .map(({ id }) => id)
      .reverse();
    const appended = appendedAt(log.length, before);
    const event: LedgerEvent = { kind: 'rollback', length, appended, records };
    ledger.play(event);
    this.pieces.thread.shortenTo(shorter);
    stream.recordSpent(undefined);
    gauge.rewritten();
    const undone = records.map((id) => this.#recordOf(id));
    this.pieces.commits.stripUndone(undone);
    audit.add('rolled-back', undefined, { length, left: log.length - length, undone: records });
    stream.emit({ kind: 'rolled-back', length, left: log.length - length, recordIds: records });
    return undone;
  }

  flag(recordId: string, flag: Flag, notes: string | undefined): CompactionRecord {
    this.#recordOf(recordId);
    if (!FLAGS.includes(flag))
      throw new SpillwayError('FLAG_UNKNOWN', {
        subject: 'flag of a compaction',
        found: flag,
        allowed: FLAGS.join(', '),
        remedy: 'Use one of these. Your own words go into the notes.',
      });
    const { thread, audit } = this.pieces;
    thread.ledger.play({ kind: 'flag', record: recordId, flag, ...(notes !== undefined && { notes }) });
    audit.add('flagged', recordId, { flag, notes });
    return this.#recordOf(recordId);
  }

  /** Throws `PLAN_UNKNOWN` if no plan waits, or a different one. The beginning of a hash is enough. */
  waitingPlan(hash: string | undefined): WaitingPlan {
    const { pending } = this.pieces.thread.ledger;
    if (pending && (hash === undefined || (hash !== '' && pending.plan.hash.startsWith(hash))))
      return pending;
    throw new SpillwayError('PLAN_UNKNOWN', {
      ...(hash === undefined ? { subject: 'no plan waits' } : { subject: 'plan', found: hash }),
      ...(pending && { allowed: pending.plan.hash }),
      remedy: pending
        ? 'Name the one that waits.'
        : '`session.operator.propose(plan)`, or `spillway plan SESSION --propose`, lets one wait.',
    });
  }

  #recordOf(recordId: string): CompactionRecord {
    const { ledger } = this.pieces.thread;
    const record = ledger.find(recordId);
    if (record) return record;
    throw new SpillwayError('RECORD_UNKNOWN', {
      subject: 'compaction',
      found: recordId,
      allowed: ledger.records.map(({ id }) => id).join(', '),
      remedy: 'Name a compaction of the history.',
    });
  }
}

function spanOf({ plan }: CompactionRecord, log: ReadonlyLog): Hold {
  const seqs = plan.edits.flatMap(endsOf).map((id) => log.find(id)!.seq);
  return { from: Math.min(...seqs), to: Math.max(...seqs) };
}
