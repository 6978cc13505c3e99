import {
  replacePart,
  type Log,
  type LogMessage,
  type Message,
  type MessageSize,
  type PlannedEdit,
  type ReplaceMark,
  type ViewMessage,
} from '../../transcript/index.js';
import type { EditPlace, FoundPlaces } from './edit-places.js';

/**
 * A piece of a view as JSON. A checkpoint goes with every commit, so it repeats no text that the log or the ledger holds:
 * it names messages by position and edits by place. Edits whose place is not known are written out.
 */
export type StoredItem = OriginalRun | EditedOriginal | NamedStandIn | InlineOriginal | InlineStandIn;

/** Unchanged messages of the log: positions of the first and the last. */
type OriginalRun = readonly [from: number, to: number];

/** A message of the log with replaced parts, in the order of their first replacement. */
interface EditedOriginal {
  readonly seq: number;
  readonly parts: readonly (readonly [entry: number, edit: number])[];
}

/** One message of the replacement of a superseded span: `place` counts within that replacement. */
interface NamedStandIn extends EditPlace {
  readonly from: number;
  readonly to: number;
  readonly place: number;
}

/** The form of version 2; `changed` is absent in a message that nothing edits. */
interface InlineOriginal extends Pick<ViewMessage, 'from' | 'to'> {
  readonly isOriginal: true;
  readonly changed?: {
    readonly parts: Message['parts'];
    readonly size: MessageSize;
    readonly replaced: readonly (readonly [part: number, mark: ReplaceMark])[];
  };
}

/** The form of version 2. */
interface InlineStandIn extends Omit<ViewMessage, 'replaced' | 'source'> {
  readonly isOriginal?: undefined;
}

/** The edits of commits, by ledger entry. */
export type NamedEdits = ReadonlyMap<number, readonly PlannedEdit[]>;

export function storedView(view: readonly ViewMessage[], log: Log, found: FoundPlaces): StoredItem[] {
  const items: StoredItem[] = [];
  let run: [number, number] | undefined;
  let span = '';
  let place = 0;
  for (const shown of view) {
    const { from, to, source, replaced } = shown;
    if (source && !replaced) {
      if (run && run[1] === from - 1) run[1] = from;
      else items.push((run = [from, from]));
      continue;
    }
    run = undefined;
    if (source) items.push(editedOriginal(shown, found));
    else {
      place = span === `${from} ${to}` ? place + 1 : 0;
      span = `${from} ${to}`;
      const at = from < log.base ? undefined : found.supersededAt(log.at(from).id, log.at(to).id);
      items.push(at ? { from, to, ...at, place } : shown);
    }
  }
  return items;
}

function editedOriginal(
  { source, replaced, message, size, from, to }: ViewMessage,
  found: FoundPlaces,
): StoredItem {
  const parts: (readonly [number, number])[] = [];
  for (const part of replaced!.keys()) {
    const at = found.replacedAt(source!.id, part);
    if (!at)
      return {
        isOriginal: true,
        from,
        to,
        changed: { parts: message.parts, size, replaced: [...replaced!] },
      };
    parts.push([at.entry, at.edit]);
  }
  return { seq: from, parts };
}

/** Log positions that a stored view shows, in order. */
export function positionsOf(items: readonly StoredItem[]): number[] {
  return items.flatMap((item) => {
    if (isRun(item)) return Array.from({ length: item[1] - item[0] + 1 }, (_, i) => item[0] + i);
    if ('seq' in item) return item.seq;
    return 'isOriginal' in item && item.isOriginal ? item.from : [];
  });
}

/** Ledger entries whose edits a stored view shows, ascending, each once. */
export function entriesOf(items: readonly StoredItem[]): number[] {
  const entries = new Set<number>();
  for (const item of items) {
    if (isRun(item)) continue;
    if ('seq' in item) for (const [entry] of item.parts) entries.add(entry);
    else if ('entry' in item) entries.add(item.entry);
  }
  return [...entries].sort((a, b) => a - b);
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
  const view: ViewMessage[] = [];
  for (const item of items) {
    const shown = isRun(item) ? originals(item, sources) : [revivedOne(item, sources, edits)];
    for (const one of shown) {
      if (!one) return undefined;
      view.push(one);
    }
  }
  return view;
}

const isRun = (item: StoredItem): item is OriginalRun => Array.isArray(item);

type Missing = undefined;

function originals(
  run: OriginalRun,
  sources: ReadonlyMap<number, LogMessage>,
): readonly (ViewMessage | Missing)[] {
  return positionsOf([run]).map((seq) => original(sources, seq));
}

function original(sources: ReadonlyMap<number, LogMessage>, seq: number): ViewMessage | Missing {
  const source = sources.get(seq);
  return source && { message: source, size: source.size, from: seq, to: seq, source };
}

function revivedOne(
  item: Exclude<StoredItem, OriginalRun>,
  sources: ReadonlyMap<number, LogMessage>,
  edits: NamedEdits,
): ViewMessage | Missing {
  if ('seq' in item) {
    return item.parts.reduce<ViewMessage | Missing>(
      (shown, [entry, place]) => {
        const edit = edits.get(entry)?.[place];
        return shown && edit?.kind === 'replace' ? replacePart(shown, shown.source!, edit) : undefined;
      },
      original(sources, item.seq),
    );
  }
  if ('entry' in item) return standIn(item, edits.get(item.entry)?.[item.edit]);
  return item.isOriginal ? inlineOriginal(item, original(sources, item.from)) : item;
}

function standIn({ from, to, place }: NamedStandIn, edit: PlannedEdit | undefined): ViewMessage | Missing {
  if (edit?.kind !== 'supersede') return undefined;
  const [message, size] = [edit.replacement[place], edit.sizes[place]];
  return message && size && { message, size, from, to, made: { stage: edit.stage, reason: edit.reason } };
}

function inlineOriginal({ changed }: InlineOriginal, shown: ViewMessage | Missing): ViewMessage | Missing {
  if (!shown || !changed) return shown;
  const { parts, size, replaced } = changed;
  return { ...shown, message: { ...shown.source!, parts }, size, replaced: new Map(replaced) };
}
