import { leftStanding, type Spent } from '../../pipeline/index.js';
import type { Json } from '../../spi/index.js';
import {
  Ledger,
  Log,
  Projection,
  type Hold,
  type Left,
  type LogMessage,
  type Message,
  type MessageSize,
  type ReplaceMark,
  type ViewMessage,
} from '../../transcript/index.js';
import { markerOf, type QueuedCompaction } from '../queue.js';
import { stateOn, type AgentState, type SessionParts } from '../state.js';

/** Another one was written by another Spillway; the session is then read whole. */
export const CHECKPOINT_VERSION = 2;

/** What a session leaves beside its log and ledger, so that opening it reads the live tail and nothing else. */
export interface Checkpoint {
  readonly version: typeof CHECKPOINT_VERSION;
  /** Messages of the log and events of the ledger that it speaks of. */
  readonly messages: number;
  readonly events: number;
  /** Log position from which messages stand in view one by one; what came before is in `rendered`. */
  readonly tailFrom: number;
  /** Spans of the store that were rolled back. */
  readonly left: readonly Left[];
  readonly rendered: readonly StoredView[];
  /** Messages of the tail that stand changed. */
  readonly changed: readonly StoredView[];
  readonly appendedTokens: number;
  readonly spent?: Spent | undefined;
  readonly states: Readonly<Record<string, Json>>;
  readonly overflowed: boolean;
  readonly queued?: QueuedCompaction | undefined;
  readonly holds: readonly Hold[];
  /** A plan waits for an operator, or reasoning for its tool loop to end: whoever opens the session needs all of it. */
  readonly pending: boolean;
}

/** A view message as JSON holds it. What the log says is read from the log: a checkpoint goes with every commit. */
export type StoredView = StoredOriginal | StoredStandIn;

/** A message of the log. */
interface StoredOriginal extends Pick<ViewMessage, 'from' | 'to'> {
  readonly isOriginal: true;
  /** Absent where it stands as the log has it. */
  readonly changed?: {
    readonly parts: Message['parts'];
    readonly size: MessageSize;
    readonly replaced: readonly (readonly [part: number, mark: ReplaceMark])[];
  };
}

/** What stands for a span. */
interface StoredStandIn extends Omit<ViewMessage, 'replaced' | 'source'> {
  readonly isOriginal?: undefined;
}

export function checkpointOf(state: AgentState): Checkpoint {
  const { log, ledger, projection } = state;
  const { view } = projection;
  // The tail begins behind the newest message that stands for a span, and behind any gap.
  let place = view.length;
  let tailFrom = log.length;
  while (place > 0 && view[place - 1]!.source && view[place - 1]!.from === tailFrom - 1) {
    place--;
    tailFrom--;
  }
  const changed = view.slice(place).filter(({ replaced }) => replaced);
  return {
    version: CHECKPOINT_VERSION,
    messages: log.length,
    events: ledger.version,
    tailFrom,
    left: ledger.left,
    rendered: view.slice(0, place).map(stored),
    changed: changed.map(stored),
    appendedTokens: state.appendedTokens,
    spent: state.spent,
    states: Object.fromEntries(state.stageStates) as Readonly<Record<string, Json>>,
    overflowed: state.overflowed,
    queued: state.queued,
    holds: ledger.holds,
    pending: ledger.pending !== undefined || leftStanding(ledger.records).length > 0,
  };
}

function stored({ source, replaced, ...shown }: ViewMessage): StoredView {
  if (!source) return shown;
  const { message, size, from, to } = shown;
  return {
    isOriginal: true,
    from,
    to,
    ...(replaced && { changed: { parts: message.parts, size, replaced: [...replaced] } }),
  };
}

/** Log positions that a checkpoint speaks of and that come before the tail, in order. */
export function positionsBehind({ rendered }: Checkpoint): number[] {
  return rendered.flatMap((shown) => (shown.isOriginal ? shown.from : []));
}

/** `sources`: the messages of the log, by position. */
function revived(shown: StoredView, sources: ReadonlyMap<number, LogMessage>): ViewMessage {
  if (!shown.isOriginal) return shown;
  const { from, to, changed } = shown;
  const source = sources.get(from)!;
  if (!changed) return { message: source, size: source.size, from, to, source };
  const { parts, size, replaced } = changed;
  return { message: { ...source, parts }, size, from, to, source, replaced: new Map(replaced) };
}

/**
 * A session whose log begins at the live tail: enough to append, to read pressure and to write the next request.
 * `behind`: messages at `positionsBehind`, by position.
 */
export function tailState(
  checkpoint: Checkpoint | undefined,
  behind: ReadonlyMap<number, LogMessage>,
  tail: readonly LogMessage[],
  parts: SessionParts,
): AgentState {
  const base = checkpoint?.tailFrom ?? 0;
  const log = new Log(base);
  const state = stateOn(log, new Ledger(checkpoint?.events ?? 0, checkpoint?.left), parts);
  const projection = new Projection(log, state.isPinned);
  projection.restore((checkpoint?.rendered ?? []).map((shown) => revived(shown, behind)));
  const changed = new Map((checkpoint?.changed ?? []).map((shown) => [shown.from, shown]));
  for (const message of tail) {
    const entry = log.append(message, message.size);
    const shown = changed.get(entry.seq);
    if (shown) projection.restore([revived(shown, new Map([[entry.seq, entry]]))]);
    else projection.append(entry);
  }
  const fresh = tail.slice((checkpoint?.messages ?? 0) - base);
  const appendedTokens = fresh.reduce((sum, { size }) => sum + size.tokens, checkpoint?.appendedTokens ?? 0);
  const queued = fresh.map(markerOf).findLast(Boolean) ?? checkpoint?.queued;
  return { ...state, projection, appendedTokens, ...carriedBy(checkpoint), queued };
}

/** What runs remember of each other. */
export function carriedBy(
  checkpoint: Checkpoint | undefined,
): Pick<AgentState, 'spent' | 'stageStates' | 'overflowed'> {
  return {
    spent: checkpoint?.spent,
    stageStates: new Map(Object.entries(checkpoint?.states ?? {})),
    overflowed: checkpoint?.overflowed ?? false,
  };
}
