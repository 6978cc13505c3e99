import {
  replacePart,
  type Ledger,
  type Log,
  type LogMessage,
  type PlannedEdit,
  type ViewMessage,
} from '../../transcript/index.js';

/** Where an edit is found again: the ledger event that committed it, and its place among the edits of that commit. */
interface EditPlace {
  readonly entry: number;
  readonly edit: number;
}

/**
 * A piece of a view as JSON. A checkpoint goes with every commit, so it repeats no text that the log or the ledger holds:
 * it names messages by position and edits by place.
 */
export type StoredItem = OriginalRun | EditedOriginal | StandIn;

/** Unchanged messages of the log: positions of the first and the last. */
type OriginalRun = readonly [from: number, to: number];

/** A message of the log with replaced parts, in the order of their first replacement. */
interface EditedOriginal {
  readonly seq: number;
  readonly parts: readonly (readonly [entry: number, edit: number])[];
}

/** One message of the replacement of a superseded span: `place` counts within that replacement. */
interface StandIn extends EditPlace {
  readonly from: number;
  readonly to: number;
  readonly place: number;
}

/** The edits of commits, by ledger entry. */
export type NamedEdits = ReadonlyMap<number, readonly PlannedEdit[]>;

/** Separates ids in a key; ids may hold any text, and two of them joined by it would still have to be two ids of the log. */
const JOINT = '\0';
const replaceKey = (messageId: string, part: number): string => `${part}${JOINT}${messageId}`;
const supersedeKey = (fromId: string, toId: string): string => `${fromId}${JOINT}${toId}`;
const keyOf = (edit: PlannedEdit): string =>
  edit.kind === 'replace' ? replaceKey(edit.messageId, edit.partIndex) : supersedeKey(edit.fromId, edit.toId);
const TAKES_BACK: ReadonlySet<string> = new Set(['undo', 'rollback']);

/**
 * Finds the edits behind a view in the ledger, so that a checkpoint can name them. The newest live edit of a part or a
 * span is the one in view. Remembers what the last view was made of: a search then covers the commits made since.
 */
export class EditPlaces {
  #ledger: Ledger | undefined;
  /** Events that `#known` speaks of; good until a commit is taken back. */
  #searched = 0;
  #known: ReadonlyMap<string, EditPlace> = new Map();

  /** Of a ledger that holds all its events. Undefined where it does not hold an edit that the view shows. */
  stored(view: readonly ViewMessage[], log: Log, ledger: Ledger): StoredItem[] | undefined {
    const keys = view.map((shown) => keysOf(shown, log));
    const places = this.#find(ledger, new Set(keys.flat()));
    const items: StoredItem[] = [];
    let run: [number, number] | undefined;
    let span = '';
    let place = 0;
    for (const [i, { from, to, source }] of view.entries()) {
      const edits = keys[i]!.map((key) => places.get(key));
      if (edits.includes(undefined)) return undefined;
      if (source && edits.length === 0) {
        if (run && run[1] === from - 1) run[1] = from;
        else items.push((run = [from, from]));
        continue;
      }
      run = undefined;
      if (source) items.push({ seq: from, parts: edits.map((at) => [at!.entry, at!.edit]) });
      else {
        place = span === `${from} ${to}` ? place + 1 : 0;
        span = `${from} ${to}`;
        items.push({ from, to, ...edits[0]!, place });
      }
    }
    return items;
  }

  #find(ledger: Ledger, wanted: ReadonlySet<string>): ReadonlyMap<string, EditPlace> {
    const { events } = ledger;
    const isSame = this.#ledger === ledger && this.#searched <= events.length;
    const isAppended = isSame && events.slice(this.#searched).every(({ kind }) => !TAKES_BACK.has(kind));
    const since = isAppended ? this.#searched : 0;
    const found = new Map<string, EditPlace>();
    for (let entry = events.length - 1; entry >= since && found.size < wanted.size; entry--) {
      const event = events[entry]!;
      if (event.kind !== 'commit' || ledger.find(event.record.id)?.status !== 'committed') continue;
      const { edits } = event.record.plan;
      for (let edit = edits.length - 1; edit >= 0; edit--) {
        const key = keyOf(edits[edit]!);
        if (wanted.has(key) && !found.has(key)) found.set(key, { entry, edit });
      }
    }
    if (isAppended)
      for (const [key, at] of this.#known) if (wanted.has(key) && !found.has(key)) found.set(key, at);
    this.#ledger = ledger;
    this.#searched = events.length;
    this.#known = found;
    return found;
  }
}

/** The edits that a message of a view shows. */
function keysOf({ source, replaced, from, to }: ViewMessage, log: Log): string[] {
  if (!source) return [supersedeKey(log.at(from).id, log.at(to).id)];
  return [...(replaced?.keys() ?? [])].map((part) => replaceKey(source.id, part));
}

/** Log positions that a stored view shows, in order. */
export function positionsOf(items: readonly StoredItem[]): number[] {
  return items.flatMap((item) => {
    if (isRun(item)) return Array.from({ length: item[1] - item[0] + 1 }, (_, i) => item[0] + i);
    return 'seq' in item ? item.seq : [];
  });
}

/** Ledger entries whose edits a stored view shows, ascending, each once. */
export function entriesOf(items: readonly StoredItem[]): number[] {
  const entries = items.flatMap((item) => {
    if (isRun(item)) return [];
    return 'seq' in item ? item.parts.map(([entry]) => entry) : item.entry;
  });
  return [...new Set(entries)].sort((a, b) => a - b);
}

/**
 * The view again, from the messages at its positions and the edits of its entries. Undefined where one of them is missing:
 * then the stored view belongs to another log or ledger.
 */
export function revived(
  items: readonly StoredItem[],
  sources: ReadonlyMap<number, LogMessage>,
  edits: NamedEdits,
): readonly ViewMessage[] | undefined {
  const view = items.flatMap((item) => {
    if (isRun(item)) return positionsOf([item]).map((seq) => original(sources, seq));
    return 'seq' in item ? edited(item, sources, edits) : standIn(item, edits.get(item.entry)?.[item.edit]);
  });
  return view.every((shown) => shown !== undefined) ? view : undefined;
}

const isRun = (item: StoredItem): item is OriginalRun => Array.isArray(item);

function original(sources: ReadonlyMap<number, LogMessage>, seq: number): ViewMessage | undefined {
  const source = sources.get(seq);
  return source && { message: source, size: source.size, from: seq, to: seq, source };
}

function edited(
  { seq, parts }: EditedOriginal,
  sources: ReadonlyMap<number, LogMessage>,
  edits: NamedEdits,
): ViewMessage | undefined {
  let shown = original(sources, seq);
  for (const [entry, place] of parts) {
    const edit = edits.get(entry)?.[place];
    shown = shown && edit?.kind === 'replace' ? replacePart(shown, shown.source!, edit) : undefined;
  }
  return shown;
}

function standIn({ from, to, place }: StandIn, edit: PlannedEdit | undefined): ViewMessage | undefined {
  if (edit?.kind !== 'supersede') return undefined;
  const [message, size] = [edit.replacement[place], edit.sizes[place]];
  return message && size && { message, size, from, to, made: { stage: edit.stage, reason: edit.reason } };
}
