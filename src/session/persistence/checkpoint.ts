import type { Spent } from '../../pressure/index.js';
import type { Json } from '../../spi/index.js';
import { Ledger, Log, Projection, type Left, type LogMessage } from '../../transcript/index.js';
import { markerOf, type QueuedCompaction } from '../own-messages.js';
import { contentsOn, type Thread, type ThreadContents, type ThreadRules } from '../thread.js';
import { revived, type EditPlaces, type NamedEdits, type StoredItem } from './stored-view.js';

/** What another version wrote is not read: log and ledger say the same. */
export const CHECKPOINT_VERSION = 4;

/** What a session leaves beside its log and ledger, so that opening it reads the live tail and nothing else. */
export interface Checkpoint {
  readonly version: number;
  /** Messages of the log and events of the ledger that it speaks of. */
  readonly messages: number;
  readonly events: number;
  /** Log position from which messages stand in view one by one. */
  readonly tailFrom: number;
  /** Spans of the store that were rolled back. */
  readonly left: readonly Left[];
  /** What stands in view before that position, and what stands changed behind it. */
  readonly shown: readonly StoredItem[];
  readonly appendedTokens: number;
  readonly spent?: Spent | undefined;
  readonly states: Readonly<Record<string, Json>>;
  readonly overflowed: boolean;
  readonly queued?: QueuedCompaction | undefined;
  /** A plan waits for an operator: whoever opens the session needs all of it. */
  readonly pending: boolean;
}

/** Undefined where the ledger at hand does not say all that stands in view: then opening reads the whole of it. */
export function checkpointOf(
  thread: Thread,
  spent: Spent | undefined,
  places: EditPlaces,
): Checkpoint | undefined {
  const { log, ledger, projection, memory } = thread;
  const { view } = projection;
  // The tail begins behind the newest message that stands for a span, and behind any gap.
  let place = view.length;
  let tailFrom = log.length;
  while (place > 0 && view[place - 1]!.source && view[place - 1]!.from === tailFrom - 1) {
    place--;
    tailFrom--;
  }
  const differs = view.filter(({ replaced }, i) => i < place || replaced);
  const shown = thread.isWhole ? places.stored(differs, log, ledger) : undefined;
  return (
    shown && {
      version: CHECKPOINT_VERSION,
      messages: log.length,
      events: ledger.version,
      tailFrom,
      left: ledger.left,
      shown,
      appendedTokens: thread.appendedTokens,
      spent,
      states: Object.fromEntries(memory.stageStates) as Readonly<Record<string, Json>>,
      overflowed: memory.overflowed,
      queued: memory.queued,
      pending: ledger.pending !== undefined,
    }
  );
}

/**
 * A session whose log begins at the live tail: enough to append, to read pressure and to write the next request.
 * `behind`: the messages before the tail that it shows, by position; `edits`: those it names. Undefined where the
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
  const sources = new Map([...behind, ...entries.map((entry) => [entry.seq, entry] as const)]);
  const shown = revived(checkpoint?.shown ?? [], sources, edits);
  if (!shown) return undefined;
  const projection = new Projection(log, contents.isPinned);
  projection.restore(shown.filter(({ from }) => from < base));
  const changed = new Map(shown.map((one) => [one.from, one]));
  for (const entry of entries) {
    const own = changed.get(entry.seq);
    if (own) projection.restore([own]);
    else projection.append(entry);
  }
  const fresh = tail.slice((checkpoint?.messages ?? 0) - base);
  const appendedTokens = fresh.reduce((sum, { size }) => sum + size.tokens, checkpoint?.appendedTokens ?? 0);
  const queued = fresh.map(markerOf).findLast(Boolean) ?? checkpoint?.queued;
  return { ...contents, projection, appendedTokens, ...memoryIn(checkpoint, queued) };
}

/** What runs remember of each other. */
export function memoryIn(
  checkpoint: Checkpoint | undefined,
  queued: QueuedCompaction | undefined,
): Pick<ThreadContents, 'memory' | 'spent'> {
  const stageStates = new Map(Object.entries(checkpoint?.states ?? {}));
  const { spent, overflowed = false } = checkpoint ?? {};
  return { memory: { stageStates, overflowed, queued }, spent };
}
