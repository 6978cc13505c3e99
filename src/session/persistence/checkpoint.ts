import type { Spent } from '../../pipeline/index.js';
import type { Json } from '../../spi/index.js';
import { Ledger, Log, Projection, type Hold, type Left, type LogMessage } from '../../transcript/index.js';
import { HiddenMessages } from '../client/hidden.js';
import { markerOf, type QueuedCompaction } from '../own-messages.js';
import { contentsOn, type RunMemory, type Thread, type ThreadContents, type ThreadRules } from '../thread.js';
import type { EditPlaces } from './edit-places.js';
import { revived, storedView, type NamedEdits, type StoredItem } from './stored-view.js';

/** Version 2 holds the text of every edit in view; 3 names the ledger entries that hold it. */
const CHECKPOINT_VERSION = 3;
export const READABLE_VERSIONS: readonly number[] = [2, CHECKPOINT_VERSION];

/** What a session leaves beside its log and ledger, so that opening it reads the live tail and nothing else. */
export interface Checkpoint {
  readonly version: number;
  /** Messages of the log and events of the ledger that it speaks of. */
  readonly messages: number;
  readonly events: number;
  /** Log position from which messages stand in view one by one; what came before is in `rendered`. */
  readonly tailFrom: number;
  /** Messages before the tail that the client does not know; absent where there are none. */
  readonly hidden?: number;
  /** Spans of the store that were rolled back. */
  readonly left: readonly Left[];
  readonly rendered: readonly StoredItem[];
  /** Messages of the tail that stand changed. */
  readonly changed: readonly StoredItem[];
  readonly appendedTokens: number;
  readonly spent?: Spent | undefined;
  readonly states: Readonly<Record<string, Json>>;
  readonly overflowed: boolean;
  readonly queued?: QueuedCompaction | undefined;
  readonly holds: readonly Hold[];
  /** A plan waits for an operator, or reasoning for its tool loop to end: whoever opens the session needs all of it. */
  readonly pending: boolean;
}

export function checkpointOf(thread: Thread, places: EditPlaces): Checkpoint {
  const { log, ledger, projection, hidden, memory } = thread;
  const { view } = projection;
  // The tail begins behind the newest message that stands for a span, and behind any gap.
  let place = view.length;
  let tailFrom = log.length;
  while (place > 0 && view[place - 1]!.source && view[place - 1]!.from === tailFrom - 1) {
    place--;
    tailFrom--;
  }
  const found = places.find(ledger, log, view);
  const changed = view.slice(place).filter(({ replaced }) => replaced);
  return {
    version: CHECKPOINT_VERSION,
    messages: log.length,
    events: ledger.version,
    tailFrom,
    ...(hidden.until(tailFrom) > 0 && { hidden: hidden.until(tailFrom) }),
    left: ledger.left,
    rendered: storedView(view.slice(0, place), log, found),
    changed: storedView(changed, log, found),
    appendedTokens: thread.appendedTokens,
    spent: memory.spent,
    states: Object.fromEntries(memory.stageStates) as Readonly<Record<string, Json>>,
    overflowed: memory.overflowed,
    queued: memory.queued,
    holds: ledger.holds,
    pending: ledger.pending !== undefined,
  };
}

/**
 * A session whose log begins at the live tail: enough to append, to read pressure and to write the next request.
 * `behind`: the messages before the tail that `rendered` names, by position; `edits`: those it names. Undefined where the
 * checkpoint names something that they are without.
 */
export function tailContents(
  checkpoint: Checkpoint | undefined,
  behind: ReadonlyMap<number, LogMessage>,
  tail: readonly LogMessage[],
  edits: NamedEdits,
  rules: ThreadRules,
): ThreadContents | undefined {
  const base = checkpoint?.tailFrom ?? 0;
  const log = new Log(base);
  const contents = contentsOn(log, new Ledger(checkpoint?.events ?? 0, checkpoint?.left), rules);
  const entries = tail.map((message) => log.append(message, message.size));
  const ofTail = new Map(entries.map((entry) => [entry.seq, entry]));
  const rendered = revived(checkpoint?.rendered ?? [], behind, edits);
  const shownOfTail = revived(checkpoint?.changed ?? [], ofTail, edits);
  if (!rendered || !shownOfTail) return undefined;
  const changed = new Map(shownOfTail.map((shown) => [shown.from, shown]));
  const projection = new Projection(log, contents.isPinned);
  projection.restore(rendered);
  for (const entry of entries) {
    const shown = changed.get(entry.seq);
    if (shown) projection.restore([shown]);
    else projection.append(entry);
  }
  const fresh = tail.slice((checkpoint?.messages ?? 0) - base);
  const appendedTokens = fresh.reduce((sum, { size }) => sum + size.tokens, checkpoint?.appendedTokens ?? 0);
  const queued = fresh.map(markerOf).findLast(Boolean) ?? checkpoint?.queued;
  const hidden = new HiddenMessages(log, checkpoint?.hidden);
  return { ...contents, hidden, projection, appendedTokens, memory: memoryIn(checkpoint, queued) };
}

/** What runs remember of each other. */
export function memoryIn(
  checkpoint: Checkpoint | undefined,
  queued: QueuedCompaction | undefined,
): RunMemory {
  return {
    spent: checkpoint?.spent,
    stageStates: new Map(Object.entries(checkpoint?.states ?? {})),
    overflowed: checkpoint?.overflowed ?? false,
    queued,
  };
}
