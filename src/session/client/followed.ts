import type { CompactionRecord, Message, ReadonlyLog } from '../../transcript/index.js';
import type { FollowedSession } from './follow.js';
import { rollBack } from '../operator/operator.js';
import type { AgentState, SessionParts } from '../state.js';

/** What only the session itself can do. */
export interface FollowDoors {
  append(messages: readonly Message[]): Promise<void>;
  /** Makes a change of what is stored, after whatever is under way. */
  afterRuns(change: () => unknown): Promise<void>;
}

/** A session as its follower sees it. Read afresh at each question: a rewound one has another log. */
export function followedSession(state: AgentState, parts: SessionParts, doors: FollowDoors): FollowedSession {
  return {
    get base() {
      return state.log.base;
    },
    get length() {
      return state.log.length + (state.arrivals?.length ?? 0);
    },
    at: (seq) => (seq < state.log.length ? state.log.at(seq) : state.arrivals![seq - state.log.length]!),
    get view() {
      return state.projection.view;
    },
    append: (messages) => doors.append(messages),
    rewind: (length) =>
      doors.afterRuns(() => {
        const { log, ledger } = state;
        const { live } = ledger;
        const first = live.findIndex((record) => reachesPast(record, length, log));
        const going = new Set(first < 0 ? [] : live.slice(first).map(({ id }) => id));
        rollBack(length, state, parts, ({ id }) => going.has(id));
      }),
    get branch() {
      return state.ledger.left.reduce((sum, { count }) => sum + count, 0);
    },
    fixed: (tokens) => void (parts.gauge.fixedTokens = tokens),
  };
}

/** Whether anything was compacted that no longer stands; what stands before it stays as it was sent. */
function reachesPast({ plan }: CompactionRecord, length: number, log: ReadonlyLog): boolean {
  return plan.edits.some((edit) => {
    const last = log.find(edit.kind === 'replace' ? edit.messageId : edit.toId);
    return !last || last.seq >= length;
  });
}
