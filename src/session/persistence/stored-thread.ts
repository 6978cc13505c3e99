import type { Json, SessionStore, StoredThread, ThreadHead, ThreadInfo, ThreadKey } from '../../spi/index.js';
import {
  appendedAt,
  isLeft,
  Ledger,
  Log,
  renderAll,
  type Left,
  type LogMessage,
  type PlannedEdit,
} from '../../transcript/index.js';
import type { SavedPlan } from '../ahead/prepared-plan.js';
import { CALL_KIND, callOf } from '../calls.js';
import { CHECKPOINT_VERSION, memoryIn, tailContents, type Checkpoint } from './checkpoint.js';
import { damaged, eventOf } from './entry.js';
import { learnedLimits, limitsFor, threadName } from '../learned-limits.js';
import { markerOf, queuedIn } from '../own-messages.js';
import { entriesOf, positionsOf, type NamedEdits } from './stored-view.js';
import { contentsOn, type ThreadContents, type ThreadRules } from '../thread.js';
import type { Uses } from '../services.js';

/** A thread as it was read, and the head it was read at. */
interface ReadThread {
  readonly head: ThreadHead;
  readonly contents: ThreadContents;
  readonly checkpoint?: Checkpoint | undefined;
}

/** A thread that was opened, for its session. */
export interface OpenedThread extends ReadThread {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  /** Calls that were recorded so far. */
  readonly calls: number;
  /** A compaction whose text is bought ahead, as another process left it. */
  readonly prepared?: SavedPlan | undefined;
}

const EMPTY: StoredThread = { head: { messages: 0, entries: 0 } };

/** What is needed to go on: the live tail, whatever came before it. Costs the view, not the session. */
export async function readTail(store: SessionStore, key: ThreadKey, rules: ThreadRules): Promise<ReadThread> {
  const thread = (await store.load(key)) ?? EMPTY;
  const checkpoint = checkpointIn(thread);
  const isWhole = thread.head.entries === 0;
  if ((!checkpoint && !isWhole) || checkpoint?.pending) return readWhole(store, key, rules, thread);
  const from = appendedAt(checkpoint?.tailFrom ?? 0, checkpoint?.left ?? []);
  const [behind, appended, edits] = await Promise.all([
    checkpoint ? readBehind(store, key, checkpoint) : new Map<number, LogMessage>(),
    messagesOf(store, key, from, thread.head.messages),
    checkpoint ? readEdits(store, key, checkpoint) : new Map<number, readonly PlannedEdit[]>(),
  ]);
  const tail = standing(appended, checkpoint?.left ?? []);
  const contents = tailContents(checkpoint, behind, tail, edits, rules);
  // A checkpoint that does not fit its log and ledger says nothing that those do not say.
  if (!contents) return readWhole(store, key, rules, { head: thread.head });
  return { head: thread.head, contents: { ...contents, isWhole }, checkpoint };
}

/** Fewer messages than this between two that are wanted are read with them: a question more costs more. */
const MAX_BETWEEN = 50;
/** Entries are larger than messages: tens of kilobytes each. */
const MAX_ENTRIES_BETWEEN = 2;

/** Spans that hold all of some ascending numbers, with gaps of at most so many between two. */
function runsOf(
  places: readonly number[],
  mostBetween: number,
): { readonly from: number; readonly to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run && place - run.to <= mostBetween) run.to = place;
    else runs.push({ from: place, to: place });
  }
  return runs;
}

/** The edits that a checkpoint names. */
async function readEdits(store: SessionStore, key: ThreadKey, { shown }: Checkpoint): Promise<NamedEdits> {
  const wanted = entriesOf(shown);
  const read = await Promise.all(
    runsOf(wanted, MAX_ENTRIES_BETWEEN).map(async ({ from, to }) => {
      const entries = await store.entries(key, from, to + 1);
      return entries.map((entry, i): [number, readonly PlannedEdit[]] => {
        const event = eventOf(entry);
        return [from + i, event.kind === 'commit' ? event.record.plan.edits : []];
      });
    }),
  );
  return new Map(read.flat());
}

/** What stands in view of the log before the tail, by log position. */
async function readBehind(
  store: SessionStore,
  key: ThreadKey,
  checkpoint: Checkpoint,
): Promise<ReadonlyMap<number, LogMessage>> {
  const { left, shown, tailFrom } = checkpoint;
  const places = positionsOf(shown).filter((seq) => seq < tailFrom);
  const read = await Promise.all(
    runsOf(places, MAX_BETWEEN).map(async ({ from, to }) => {
      const appended = await store.messages(key, appendedAt(from, left), appendedAt(to, left) + 1);
      return standing(appended, left).map((message, i): [number, LogMessage] => [
        from + i,
        { ...message, seq: from + i },
      ]);
    }),
  );
  return new Map(read.flat());
}

/** Throws `STORE_DAMAGED` where one is missing: the log would be another. */
async function messagesOf(
  store: SessionStore,
  key: ThreadKey,
  from: number,
  to: number,
): Promise<readonly LogMessage[]> {
  const messages = await store.messages(key, from, to);
  const gap = messages.findIndex(({ seq }, i) => seq !== from + i);
  if (gap < 0 && messages.length === Math.max(0, to - from)) return messages;
  const missing = from + (gap < 0 ? messages.length : gap);
  throw damaged('log of a session', `no message at position ${missing} of ${to}`);
}

/** Everything, as if the session had never been closed. */
export async function readWhole(
  store: SessionStore,
  key: ThreadKey,
  rules: ThreadRules,
  known?: StoredThread,
): Promise<ReadThread> {
  const thread = known ?? (await store.load(key)) ?? EMPTY;
  const { head } = thread;
  const entries = await store.entries(key, 0, head.entries);
  if (entries.length !== head.entries)
    throw damaged('ledger of a session', `${entries.length} of ${head.entries} entries`);
  const ledger = Ledger.of(entries.map(eventOf));
  const appended = await messagesOf(store, key, 0, head.messages);
  const messages = standing(appended, ledger.left);
  const log = new Log();
  for (const message of appended)
    if (isLeft(message.seq, ledger.left)) log.leave({ message, place: message.seq });
  for (const message of messages) log.append(message, message.size);
  const contents = contentsOn(log, ledger, rules);
  const checkpoint = checkpointIn(thread);
  const fresh = messages.slice(checkpoint?.messages ?? 0);
  const projection = renderAll(log, ledger.liveEdits, contents.isPinned);
  const sum = fresh.reduce((total, { size }) => total + size.tokens, checkpoint?.appendedTokens ?? 0);
  const queued =
    fresh.map(markerOf).findLast(Boolean) ?? (checkpoint ? checkpoint.queued : queuedIn(log, ledger));
  return {
    head,
    checkpoint,
    contents: { ...contents, projection, appendedTokens: sum, ...memoryIn(checkpoint, queued) },
  };
}

/** Of a form that this version wrote, and not older than the ledger. */
export function checkpointIn({ head, checkpoint, checkpointAt }: StoredThread): Checkpoint | undefined {
  const body = checkpoint as (Json & Partial<Checkpoint>) | undefined;
  return body?.version === CHECKPOINT_VERSION && checkpointAt?.entries === head.entries
    ? (body as unknown as Checkpoint)
    : undefined;
}

function standing(messages: readonly LogMessage[], left: readonly Left[]): readonly LogMessage[] {
  return left.length === 0 ? messages : messages.filter(({ seq }) => !isLeft(seq, left));
}

/** Opens a thread, and gives the session's parts back what they had learned. */
export async function openThread(
  store: SessionStore,
  key: ThreadKey,
  { rules, gauge, costs }: Uses<'rules' | 'gauge' | 'costs'>,
): Promise<OpenedThread> {
  // First: what fits decides what reading the thread finds to be done.
  for (const known of await learnedLimits(store)) {
    const limits = limitsFor(known, threadName(key.sessionId, key.agentPath));
    if (limits) gauge.learn(limits, known.model);
  }
  const [read, usage, [newest]] = await Promise.all([
    readTail(store, key, rules),
    store.usage(key),
    store.events(key, { kinds: [CALL_KIND], newestFirst: true, limit: 1 }),
  ]);
  costs.restore(usage);
  const call = newest && callOf(newest);
  if (call?.calibration) gauge.calibration = call.calibration;
  return { ...read, store, key, calls: call?.call ?? 0 };
}

/** One agent's thread of a session, as a store has it. `head` counts everything ever written. */
export interface ListedSession extends ThreadInfo {
  /** Messages that stand in its log, those left out that were rolled back. */
  readonly messages: number;
}

/** The sessions of a store, the newest first; each agent path by itself. */
export async function listSessions(
  store: SessionStore,
  of: { readonly sessionId?: string; readonly limit?: number } = {},
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const thread of await store.threads(of)) {
    const left = await leftIn(store, thread);
    const gone = left.reduce((sum, { count }) => sum + count, 0);
    listed.push({ ...thread, messages: thread.head.messages - gone });
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
