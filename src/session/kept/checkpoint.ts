import { leftStanding, type Spent } from '../../pipeline/index.js';
import type { Json } from '../../spi/index.js';
import {
  Ledger,
  Log,
  Projection,
  type Hold,
  type Left,
  type LogMessage,
  type ReplaceMark,
  type ViewMessage,
} from '../../transcript/index.js';
import { markerOf, type QueuedCompaction } from '../queue.js';
import { stateOn, type AgentState, type SessionParts } from '../state.js';

/** What a session leaves beside its log and ledger, so that opening it reads the live tail and nothing else. */
export interface Checkpoint {
  readonly version: 1;
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

/** A view message as JSON holds it. */
export interface StoredView extends Omit<ViewMessage, 'replaced' | 'source'> {
  readonly replaced?: readonly (readonly [part: number, mark: ReplaceMark])[];
  /** Absent where the message of the log is at hand. */
  readonly source?: LogMessage;
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
    version: 1,
    messages: log.length,
    events: ledger.version,
    tailFrom,
    left: ledger.left,
    rendered: view.slice(0, place).map((shown) => stored(shown, true)),
    changed: changed.map((shown) => stored(shown, false)),
    appendedTokens: state.appendedTokens,
    spent: state.spent,
    states: Object.fromEntries(state.stageStates) as Readonly<Record<string, Json>>,
    overflowed: state.overflowed,
    queued: state.queued,
    holds: ledger.holds,
    pending: ledger.pending !== undefined || leftStanding(ledger.records).length > 0,
  };
}

function stored({ source, replaced, ...shown }: ViewMessage, withSource: boolean): StoredView {
  return {
    ...shown,
    ...(replaced && { replaced: [...replaced] }),
    ...(withSource && source && { source }),
  };
}

function revived({ replaced, ...shown }: StoredView, source = shown.source): ViewMessage {
  const { source: _, ...rest } = shown;
  return { ...rest, ...(source && { source }), ...(replaced && { replaced: new Map(replaced) }) };
}

/** A session whose log begins at the live tail: enough to append, to read pressure and to write the next request. */
export function tailState(
  checkpoint: Checkpoint | undefined,
  tail: readonly LogMessage[],
  parts: SessionParts,
): AgentState {
  const base = checkpoint?.tailFrom ?? 0;
  const log = new Log(base);
  const state = stateOn(log, new Ledger(checkpoint?.events ?? 0, checkpoint?.left), parts);
  const projection = new Projection(log, state.isPinned);
  projection.restore((checkpoint?.rendered ?? []).map((shown) => revived(shown)));
  const changed = new Map((checkpoint?.changed ?? []).map((shown) => [shown.from, shown]));
  for (const message of tail) {
    const entry = log.append(message, message.size);
    const shown = changed.get(entry.seq);
    if (shown) projection.restore([revived(shown, entry)]);
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
