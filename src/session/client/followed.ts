import { touchesReopened } from '../../pipeline/index.js';
import type { CompactionRecord, LogMessage, Message, ReadonlyLog } from '../../transcript/index.js';
import type { FollowedSession } from './follow.js';
import { rollBack } from '../operator/operator.js';
import type { AgentState, SessionParts } from '../state.js';

/** What only the session itself can do. */
export interface FollowDoors {
  append(messages: readonly Message[]): Promise<void>;
  /** Makes a change of what is stored, after whatever is under way. */
  afterRuns(change: () => unknown): Promise<void>;
}

/** A session as its follower sees it: without what the client does not know. Read afresh at each question: a rewound one has another log. */
export function followedSession(state: AgentState, parts: SessionParts, doors: FollowDoors): FollowedSession {
  return {
    get base() {
      return state.log.base - state.hidden.before;
    },
    get length() {
      return state.log.length - state.hidden.until(state.log.length) + (state.arrivals?.length ?? 0);
    },
    at: (known) => {
      const seq = state.hidden.placeOf(known);
      return seq < state.log.length ? state.log.at(seq) : state.arrivals![seq - state.log.length]!;
    },
    get view() {
      return state.projection.view;
    },
    append: (messages) => doors.append(messages),
    rewind: (length) =>
      doors.afterRuns(() => {
        const isPinned = (message: LogMessage): boolean => state.isPinned(message);
        const end = length === 0 ? 0 : state.hidden.placeOf(length - 1) + 1;
        rollBack(end, state, parts, (live, shorter) => {
          const first = live.findIndex((record) => isOutdated(record, shorter, isPinned));
          return first < 0 ? [] : live.slice(first);
        });
      }),
    get branch() {
      return state.ledger.left.reduce((sum, { count }) => sum + count, 0);
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
