import { touchesReopened } from '../../pipeline/index.js';
import type { CompactionRecord, LogMessage, Message, ReadonlyLog } from '../../transcript/index.js';
import type { FollowedSession } from './follow.js';
import type { History } from '../operator/history.js';
import type { SessionCore } from '../session-parts.js';

/** What only the session itself can do. */
export interface FollowDoors {
  readonly append: (messages: readonly Message[]) => Promise<void>;
  /** Makes a change of what is stored, after whatever is under way. */
  readonly afterRuns: (change: () => unknown) => Promise<void>;
}

/** A session as its follower sees it: without what the client does not know. Read afresh at each question: a rewound one has another log. */
export function followedSession({
  thread,
  parts,
  history,
  append,
  afterRuns,
}: SessionCore & FollowDoors & { readonly history: History }): FollowedSession {
  return {
    get base() {
      return thread.log.base - thread.hidden.before;
    },
    get length() {
      return thread.log.length - thread.hidden.until(thread.log.length) + (thread.arrivals?.length ?? 0);
    },
    at: (known) => {
      const seq = thread.hidden.placeOf(known);
      return seq < thread.log.length ? thread.log.at(seq) : thread.arrivals![seq - thread.log.length]!;
    },
    get view() {
      return thread.projection.view;
    },
    placeOf: (source) => (source.unknownToClient ? undefined : source.seq - thread.hidden.until(source.seq)),
    append,
    rewind: (length) =>
      afterRuns(() => {
        const isPinned = (message: LogMessage): boolean => thread.isPinned(message);
        const end = length === 0 ? 0 : thread.hidden.placeOf(length - 1) + 1;
        history.rollBack(end, (live, shorter) => {
          const first = live.findIndex((record) => isOutdated(record, shorter, isPinned));
          return first < 0 ? [] : live.slice(first);
        });
      }),
    get branch() {
      return thread.ledger.left.reduce((sum, { count }) => sum + count, 0);
    },
    fixed: (size) => void (parts.gauge.fixed = size),
  };
}

/**
 * Whether a compaction reached past the end of the shorter log, or touched what is open or unread again now. What lies
 * before that stays as it was sent.
 */
function isOutdated(
  { plan }: CompactionRecord,
  shorter: ReadonlyLog,
  isPinned: (message: LogMessage) => boolean,
): boolean {
  if (plan.inputs.logLength <= shorter.length) return false;
  return plan.edits.some(
    (edit) =>
      !shorter.find(edit.kind === 'replace' ? edit.messageId : edit.toId) ||
      touchesReopened(edit, shorter, isPinned),
  );
}
