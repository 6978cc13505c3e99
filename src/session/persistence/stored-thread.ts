import { alone, type ErrorCode, type SpillwayError } from '../../errors/index.js';
import type {
  LedgerEntry,
  SessionStore,
  StoredThread,
  ThreadHead,
  ThreadInfo,
  ThreadKey,
} from '../../spi/index.js';
import { isLeft, Ledger, Log, type Left, type LogMessage } from '../../transcript/index.js';
import type { SavedPlan } from '../ahead/prepared-plan.js';
import { CALL_KIND, callOf } from '../calls.js';
import { checkpointIn } from './checkpoint.js';
import { damaged, eventOf } from './entry.js';
import { learnedLimits, provenFor, threadName } from '../learned-limits.js';
import { markerOf, queuedIn } from '../own-messages.js';
import type { ThreadContents } from '../thread.js';
import { Pace } from '../slices.js';
import type { Uses } from '../services.js';

/** A thread as it was read, and the head it was read at. */
interface ReadThread {
  readonly head: ThreadHead;
  readonly contents: ThreadContents;
  /** Of its ledger. */
  readonly entries: readonly LedgerEntry[];
}

/** A thread that was opened, for its session. */
export interface OpenedThread extends Omit<ReadThread, 'entries'> {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** Calls that were recorded so far. */
  readonly calls: number;
  /** A compaction whose text is bought ahead, as another process left it. */
  readonly prepared?: SavedPlan | undefined;
}

export const EMPTY: StoredThread = { head: { messages: 0, entries: 0 } };

/** Messages that are read in one go: some stores give them without letting others have their turn. */
const PAGE_MESSAGES = 250;

/** All messages of a log, page by page. Throws `STORE_DAMAGED` where one is missing: the log would be another. */
async function* messagesOf(
  store: SessionStore,
  key: ThreadKey,
  length: number,
): AsyncGenerator<readonly LogMessage[]> {
  for (let from = 0; from < length; from += PAGE_MESSAGES) {
    const to = Math.min(from + PAGE_MESSAGES, length);
    const page = await store.messages(key, from, to);
    const gap = page.findIndex(({ seq }, i) => seq !== from + i);
    if (gap >= 0 || page.length < to - from) {
      const missing = from + (gap < 0 ? page.length : gap);
      throw damaged('log of a session', `no message at position ${missing} of ${length}`);
    }
    yield page;
  }
}

/** Everything, as if the session had never been closed. Others have their turn meanwhile. */
export async function readThread(store: SessionStore, key: ThreadKey): Promise<ReadThread> {
  const thread = (await store.load(key)) ?? EMPTY;
  const { head } = thread;
  const entries = await store.entries(key, 0, head.entries);
  if (entries.length !== head.entries)
    throw damaged('ledger of a session', `${entries.length} of ${head.entries} entries`);
  const ledger = Ledger.of(entries.map(eventOf));
  const log = new Log();
  const pace = new Pace();
  for await (const page of messagesOf(store, key, head.messages)) {
    for (const message of page)
      if (isLeft(message.seq, ledger.left)) log.leave({ message, place: message.seq });
      else log.append(message, message.size);
    if (pace.isOver) await pace.rest();
  }
  const checkpoint = checkpointIn(thread);
  const { messages = 0, states = {}, spent, overflowed = false } = checkpoint ?? {};
  const fresh = log.between(messages);
  const queued = checkpoint
    ? (fresh.map(markerOf).findLast(Boolean) ?? checkpoint.queued)
    : queuedIn(log, ledger);
  const memory = { stageStates: new Map(Object.entries(states)), overflowed, queued };
  return { head, entries, contents: { log, ledger, memory, spent } };
}

/**
 * Opens a thread, and gives the session's parts back what they had learned. `isNew`: nobody has written to it, so that a store
 * that is away need not be asked.
 */
export async function openThread(
  store: SessionStore,
  key: ThreadKey,
  { gauge, costs }: Uses<'gauge' | 'costs'>,
  isNew: boolean,
): Promise<OpenedThread> {
  const learned = learnedLimits(store).catch((error: unknown) => {
    // One that is damaged keeps no session from being opened: what it said is learned again.
    if (isNew || (error as SpillwayError).code === 'STORE_DAMAGED') return [];
    throw error;
  });
  // First: what fits decides what reading the thread finds to be done.
  for (const known of await learned) {
    const limits = provenFor(known, threadName(key.sessionId, key.agentPath));
    if (limits) gauge.learn(limits, known.model);
  }
  if (isNew) return { ...EMPTY, contents: { log: new Log(), ledger: new Ledger() }, store, key, calls: 0 };
  const [{ head, contents }, usage, [newest]] = await Promise.all([
    readThread(store, key),
    store.usage(key),
    store.events(key, { kinds: [CALL_KIND], newestFirst: true, limit: 1 }),
  ]);
  costs.restore(usage);
  const call = newest && callOf(newest);
  if (call?.calibration) gauge.restore(call.calibration, call.model);
  return { head, contents, store, key, calls: call?.call ?? 0 };
}

/** One agent's thread of a session, as a store has it. `head` counts everything ever written. */
export interface ListedSession extends ThreadInfo {
  /** Messages that stand in its log, those left out that were rolled back. */
  readonly messages: number;
  /** Why it cannot be read, where it cannot: `messages` are then all that were ever stored. */
  readonly fault?: ErrorCode;
}

/** The sessions of a store, the newest first; each agent path by itself. One that is damaged stands among the others. */
export async function listSessions(
  store: SessionStore,
  of: { readonly sessionId?: string; readonly limit?: number } = {},
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const thread of await store.threads(of)) {
    const { messages } = thread.head;
    const left = await alone(leftIn(store, thread));
    if ('fault' in left) listed.push({ ...thread, messages, fault: left.fault });
    else
      listed.push({ ...thread, messages: messages - left.value.reduce((sum, { count }) => sum + count, 0) });
  }
  return listed;
}

/** Spans that were rolled back. Costs the checkpoint; the ledger only where that is older. */
async function leftIn(store: SessionStore, { head, ...key }: ThreadInfo): Promise<readonly Left[]> {
  if (head.entries === 0) return [];
  const thread = await store.load(key);
  const checkpoint = thread && checkpointIn(thread);
  if (checkpoint) return checkpoint.left;
  return Ledger.of((await store.entries(key, 0)).map(eventOf)).left;
}
