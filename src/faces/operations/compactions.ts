import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import type { Session } from '../../session/index.js';
import type { CompactionRecord as RecordValue } from '../../transcript/index.js';
import { effectOf } from './effect.js';
import { CompactionRecord, Effect, Flag, NetCost } from './shapes.js';
import { verb } from './verb.js';

/* Compactions that were made: listed, judged, undone. */

const Records = z.object({ records: z.array(CompactionRecord) });

export const history = verb(
  'Compactions of the session, newest first.',
  {},
  z.array(CompactionRecord),
  ({ operator }) => operator.history.toReversed(),
);

export const compaction = verb(
  'One compaction, and what it costs and saves.',
  { record: z.string().min(1) },
  z.object({ record: CompactionRecord, net: NetCost.optional() }),
  async (session, asked) => {
    const record = await recordOf(session, asked.record);
    const net = session.operator.netCosts.find((one) => one.record === record.id);
    return { record, ...(net && { net }) };
  },
);

export const flag = verb(
  "An operator's judgement of a compaction.",
  {
    record: z.string().min(1),
    flag: Flag,
    notes: z.string().max(20_000).optional(),
  },
  CompactionRecord,
  ({ operator }, { record, flag: judged, notes }) => operator.flag(record, judged, notes),
);

export const undo = verb(
  'Undoes the newest compaction, or the named ones. Their spans are held until released.',
  {
    record: z.string().optional().describe('The compaction to undo. Refused if later ones build on it.'),
    to: z.string().optional().describe('Undo this compaction and all after it.'),
  },
  Records,
  async ({ operator }, which) => ({ records: await operator.undo(which) }),
);

export const release = verb('Lets go of what undo holds.', {}, undefined, ({ operator }) =>
  operator.release(),
);

export const rollback = verb(
  'Goes back to a message: later messages are left out, and later compactions are undone.',
  { messageId: z.string().min(1) },
  Records,
  async ({ operator }, { messageId }) => ({ records: await operator.rollback(messageId) }),
);

export const effect = verb(
  'Totals of the compactions of the session: tokens, stages, lengths of summaries, cost and hooks.',
  {},
  Effect,
  ({ operator }) => effectOf(operator.history),
);

/** A compaction by its id. Rejects with `RECORD_UNKNOWN`. */
export async function recordOf(session: Session, id: string): Promise<RecordValue> {
  await session.load();
  const found = session.operator.history.find((record) => record.id === id);
  if (found) return found;
  throw new SpillwayError('RECORD_UNKNOWN', {
    subject: 'compaction',
    found: id,
    remedy: 'GET compactions lists the compactions of the session.',
  });
}
