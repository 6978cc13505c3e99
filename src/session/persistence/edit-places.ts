import type { Ledger, PlannedEdit, Log, ViewMessage } from '../../transcript/index.js';

/** Where an edit is found again: the ledger event that committed it, and its place among the edits of that commit. */
export interface EditPlace {
  readonly entry: number;
  readonly edit: number;
}

/** Separates ids in a key; ids may hold any text, and two of them joined by it would still have to be two ids of the log. */
const JOINT = '\0';
const replaceKey = (messageId: string, part: number): string => `${part}${JOINT}${messageId}`;
const supersedeKey = (fromId: string, toId: string): string => `${fromId}${JOINT}${toId}`;
const keyOf = (edit: PlannedEdit): string =>
  edit.kind === 'replace' ? replaceKey(edit.messageId, edit.partIndex) : supersedeKey(edit.fromId, edit.toId);

/**
 * Finds the edits behind a view in the ledger, so that a checkpoint can name them. The newest live edit of a part or a
 * span is the one in view. Remembers what the last view was made of: a search then covers the commits made since.
 */
export class EditPlaces {
  #ledger: Ledger | undefined;
  /** Ledger version up to which `#known` speaks. */
  #version = 0;
  /** By key; good until a commit is taken back. */
  #known: ReadonlyMap<string, EditPlace> = new Map();

  /** Places by `replacedAt` and `supersededAt`; an edit that the ledger does not hold has none. */
  find(ledger: Ledger, log: Log, view: readonly ViewMessage[]): FoundPlaces {
    const wanted = wantedBy(view, log);
    const base = ledger.version - ledger.events.length;
    const isSame = this.#ledger === ledger && this.#version >= base;
    const since = isSame ? this.#version - base : 0;
    const isAppended = isSame && ledger.events.slice(since).every(({ kind }) => !TAKES_BACK.has(kind));
    const found = new Map<string, EditPlace>();
    search(ledger, wanted, found, isAppended ? since : 0);
    if (isAppended) {
      for (const key of wanted) {
        const place = found.has(key) ? undefined : this.#known.get(key);
        if (place) found.set(key, place);
      }
    }
    this.#ledger = ledger;
    this.#version = ledger.version;
    this.#known = found;
    return {
      replacedAt: (messageId, part) => found.get(replaceKey(messageId, part)),
      supersededAt: (fromId, toId) => found.get(supersedeKey(fromId, toId)),
    };
  }
}

export interface FoundPlaces {
  /** The edit that a replaced part of a message shows. */
  replacedAt(messageId: string, part: number): EditPlace | undefined;
  /** The edit whose replacement is shown for a span. */
  supersededAt(fromId: string, toId: string): EditPlace | undefined;
}

const TAKES_BACK: ReadonlySet<string> = new Set(['undo', 'rollback']);

function wantedBy(view: readonly ViewMessage[], log: Log): Set<string> {
  const wanted = new Set<string>();
  for (const { source, replaced, from, to } of view) {
    // Messages before the base were not read, and neither were the commits that edited them.
    if (from < log.base) continue;
    if (!source) wanted.add(supersedeKey(log.at(from).id, log.at(to).id));
    else for (const part of replaced?.keys() ?? []) wanted.add(replaceKey(source.id, part));
  }
  return wanted;
}

/** From the newest commit back to event `since` of those in memory, until all is found. */
function search(
  ledger: Ledger,
  wanted: ReadonlySet<string>,
  found: Map<string, EditPlace>,
  since: number,
): void {
  const { events } = ledger;
  const base = ledger.version - events.length;
  for (let i = events.length - 1; i >= since && found.size < wanted.size; i--) {
    const event = events[i]!;
    if (event.kind !== 'commit' || ledger.find(event.record.id)?.status !== 'committed') continue;
    const { edits } = event.record.plan;
    for (let edit = edits.length - 1; edit >= 0; edit--) {
      const key = keyOf(edits[edit]!);
      if (wanted.has(key) && !found.has(key)) found.set(key, { entry: base + i, edit });
    }
  }
}
