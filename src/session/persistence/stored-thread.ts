import { valueOrFault, type ErrorCode, type SpillwayError } from '../../errors/index.js';
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

/** A thread as it was read, with its head at that time. */
interface ReadThread {
  readonly head: ThreadHead;
  readonly contents: ThreadContents;
  /** The entries of its ledger. */
  readonly entries: readonly LedgerEntry[];
}

/** An opened thread, for its session. */
export interface OpenedThread extends Omit<ReadThread, 'entries'> {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** Number of the newest recorded call. */
  readonly calls: number;
  /** A plan that another process prepared or was preparing. */
  readonly prepared?: SavedPlan | undefined;
}

export const EMPTY: StoredThread = { head: { messages: 0, entries: 0 } };

/** Messages per read: some stores read synchronously, and would block other tasks. */
const PAGE_MESSAGES = 250;

/** All messages of a log, page by page. Throws `STORE_DAMAGED` if one is missing, because the log would differ. */
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

/** Reads everything, as if the session had never been closed. Other tasks can run meanwhile. */
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
 * Opens a thread, and restores what the session's parts had learned. `isNew`: no process has written to it, so an
 * unavailable store is no obstacle.
 */
export async function openThread(
  store: SessionStore,
  key: ThreadKey,
  { gauge, costs }: Uses<'gauge' | 'costs'>,
  isNew: boolean,
): Promise<OpenedThread> {
  const learned = learnedLimits(store).catch((error: unknown) => {
    // Damaged limits must not prevent a session from being opened; they are learned again.
    if (isNew || (error as SpillwayError).code === 'STORE_DAMAGED') return [];
    throw error;
  });
  // Before the thread is read, because the limits decide what fits.
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

/** One agent's thread of a session in a store. `head` counts everything ever written. */
export interface ListedSession extends ThreadInfo {
  /** Number of messages in its log, without rolled-back ones. */
  readonly messages: number;
  /** Set if the thread cannot be read, with the reason. Then `messages` counts all messages ever stored. */
  readonly fault?: ErrorCode;
}

/** The sessions of a store, newest first, with one entry per agent path. Damaged sessions are included. */
export async function listSessions(
  store: SessionStore,
  of: { readonly sessionId?: string; readonly limit?: number } = {},
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const thread of await store.threads(of)) {
    const { messages } = thread.head;
    const left = await valueOrFault(rolledBackIn(store, thread));
    if ('fault' in left) listed.push({ ...thread, messages, fault: left.fault });
    else
      listed.push({ ...thread, messages: messages - left.value.reduce((sum, { count }) => sum + count, 0) });
  }
  return listed;
}

/** Spans that were rolled back. Reads the checkpoint, and the ledger only if the checkpoint is older. */
async function rolledBackIn(store: SessionStore, { head, ...key }: ThreadInfo): Promise<readonly Left[]> {
  if (head.entries === 0) return [];
  const thread = await store.load(key);
  const checkpoint = thread && checkpointIn(thread);
  if (checkpoint) return checkpoint.left;
  return Ledger.of((await store.entries(key, 0)).map(eventOf)).left;
}
