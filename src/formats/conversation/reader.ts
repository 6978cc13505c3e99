import { SpillwayError, thrownText } from '../../errors/index.js';
import type { Notice, Parsed, RequestReader, WireFormat } from '../../spi/index.js';
import {
  atOnce,
  copied,
  type CopyOptions,
  type Message,
  NotCopyable,
  type Steps,
  whyNotCopyable,
} from '../../transcript/index.js';
import { type Fields, isFields, isText, kindOf } from '../record.js';
import { Past } from './past.js';
import { reporter, type Report } from './repairs.js';
import { sameItem } from './same-item.js';

/** What the parser of a piece knows of the list around that piece. */
export interface PieceContext {
  /** The id of its message, or of its first message. */
  readonly id: string;
  readonly past: Past;
  /** The part of the body that decides how its list is read. */
  readonly mode: string;
  readonly report: Report;
}

/** A request body, opened: its list, and the fields next to the list. */
export interface OpenedBody {
  /** Refused if it is no list. */
  readonly list: unknown;
  /** Messages that come from fields next to the list; they come first. */
  readonly leading?: readonly Message[];
  readonly otherFields: Pick<Parsed, 'tools' | 'model'>;
  /** The part of the body that decides how its list is read, in addition to the ids of `leading`. */
  readonly mode?: string;
}

/** What differs between formats when a conversation is read; reading a list piece by piece is the same for all. */
export interface ListFormat {
  readonly format: string;
  /** For errors: what the format reads, and what to pass. */
  readonly allowed: string;
  readonly pass: string;
  /** The field of a body that contains its list; a bare list counts as a body with only this field. */
  readonly field: string;
  /** Opens a body. All that it reads next to the list goes through `take` first. Reports are of the system prompt. */
  open(body: Fields, take: Take, report: Report): OpenedBody;
  /** How class instances in the list are copied; without this function they are not copied. */
  readonly instance?: CopyOptions['instance'];
  /** The end of the piece that begins at `from`. Without this function each item is a piece. */
  endOf?(list: readonly unknown[], from: number): number;
  /** An item's own id. */
  idOf?(item: Fields): unknown;
  /** What shows that an item belongs to another format, in words; undefined if nothing does. */
  foreign?(item: Fields): string | undefined;
  /** A list that has no known item is refused. */
  isKnown?(item: Fields): boolean;
  messagesOf(items: readonly [Fields, ...Fields[]], place: PieceContext): readonly Message[];
}

/** A piece of a list, and the messages that it was parsed to. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

interface Known {
  readonly key: string;
  readonly list: readonly unknown[];
  readonly pieces: readonly Piece[];
  /** Undefined if no piece was parsed. */
  readonly past: Past | undefined;
}

/**
 * The members of a format that follow from its `ListFormat`. `parse` is one read of a new reader, so that the two cannot
 * differ; but `parse` shares objects with its input, while a reader takes copies: its client goes on writing to them.
 */
export function listParser(
  format: ListFormat,
): Pick<WireFormat, 'name' | 'messagesField' | 'parse' | 'createReader'> {
  return {
    name: format.format,
    messagesField: format.field,
    parse: (input) => {
      const { changedFrom: _, ...parsed } = createListReader(format, takeOriginal).read(input);
      return parsed;
    },
    createReader: () => createListReader(format, takeCopy),
  };
}

/**
 * Reads a conversation that is sent whole each time, and parses only what is new. An unchanged piece costs one
 * comparison and gives the very same message objects. After a changed piece all later pieces are parsed again, unless
 * neither version holds anything that affects them. Copies are compared by content, so that a client's write is seen.
 */
function createListReader(format: ListFormat, take: Take): RequestReader {
  let known: Known | undefined;
  function* reading(input: unknown): Steps<Parsed> {
    const notices: Notice[] = [];
    const body = isFields(input) ? input : { [format.field]: input };
    const opened = readSafely('the body', () => format.open(body, take, reporter('system', notices)));
    const { list, leading = [], mode } = opened;
    if (!Array.isArray(list)) throw notOfFormat(format, 'the input', kindOf(input));
    const key = JSON.stringify([mode, leading.map(({ id }) => id)]);
    const base = known?.key === key ? known : undefined;
    known = undefined; // should anything below throw, the next read starts over
    const read = yield* readPieces(format, opened, list, base, take);
    const isKnown = (item: unknown): boolean => isFields(item) && format.isKnown!(item);
    if (format.isKnown && list.length > 0 && !read.list.some(isKnown))
      throw notOfFormat(format, 'the messages', `nothing known in any of ${list.length}`);
    known = { key, ...read };
    const messages = [...leading];
    let changedFrom = leading.length;
    let isUnchanged = true;
    let isAtHead = messages.every(isSystem);
    for (const [index, piece] of known.pieces.entries()) {
      // A change in the instructions at the head does not count; callers compare these instructions themselves.
      isAtHead &&= piece.messages.every(isSystem);
      isUnchanged &&= isAtHead || piece === base?.pieces[index];
      for (const message of piece.messages) messages.push(message);
      for (const notice of piece.notices) notices.push(notice);
      if (isUnchanged) changedFrom = messages.length;
      yield;
    }
    return {
      messages,
      notices,
      changedFrom,
      ...take(opened.otherFields, 'the fields of the body other than its list'),
    };
  }
  return { read: (input) => atOnce(reading(input)), reading };
}

function* readPieces(
  format: ListFormat,
  { leading = [], mode = '' }: OpenedBody,
  list: readonly unknown[],
  base: Known | undefined,
  take: Take,
): Steps<Omit<Known, 'key'>> {
  const items: unknown[] = [];
  const pieces: Piece[] = [];
  let past = base?.past;
  /** Whether the pieces so far leave the same past as the pieces of the last read. */
  let hasSamePast = base !== undefined;
  for (let from = 0; from < list.length;) {
    const to = readSafely(`message ${from}`, () => format.endOf?.(list, from)) ?? from + 1;
    const old = hasSamePast ? base!.pieces[pieces.length] : undefined;
    if (old && readSafely(`message ${from}`, () => isSamePiece(old, base!.list, list, from, to))) {
      pieces.push(old);
      for (let at = from; at < to; at++) items.push(base!.list[at]);
    } else {
      if (past?.pieceCount !== pieces.length)
        past = new Past([leading, ...pieces.map(({ messages }) => messages)]);
      for (let at = from; at < to; at++) items.push(take(list[at], `message ${at}`, format.instance));
      const piece = parse(format, items.slice(from), from, past, mode);
      past.add(piece.messages);
      pieces.push(piece);
      hasSamePast = old !== undefined && haveSameEffect(piece.messages, old.messages);
    }
    from = to;
    yield;
  }
  return { list: items, pieces, past };
}

/** Throws `INPUT_FORMAT` for an item that is not of the format. */
function parse(format: ListFormat, items: readonly unknown[], from: number, past: Past, mode: string): Piece {
  for (const [at, item] of items.entries()) {
    const found = isFields(item) ? format.foreign?.(item) : kindOf(item);
    if (found !== undefined) throw notOfFormat(format, `message ${from + at}`, found);
  }
  const known = items as readonly [Fields, ...Fields[]];
  const notices: Notice[] = [];
  const own = format.idOf?.(known[0]);
  const id = past.freeId(own, from);
  const report = reporter(id, notices);
  const wanted = isText(own) ? own : `m${from}`;
  if (id !== wanted) report('duplicate-id', `message ${from} repeats the id ${wanted}; it is called ${id}`);
  const messages = format.messagesOf(known, { id, past, mode, report });
  return { from, to: from + items.length, messages, notices };
}

function isSamePiece(
  old: Piece,
  oldList: readonly unknown[],
  list: readonly unknown[],
  from: number,
  to: number,
): boolean {
  if (old.from !== from || old.to !== to) return false;
  for (let at = from; at < to; at++) if (!sameItem(oldList[at], list[at])) return false;
  return true;
}

/** Whether later messages parse the same after both: equal ids and roles, and only text, files and thinking. */
function haveSameEffect(messages: readonly Message[], old: readonly Message[]): boolean {
  return (
    messages.length === old.length &&
    messages.every((message, at) => {
      const other = old[at]!;
      return message.id === other.id && message.role === other.role && isWords(message) && isWords(other);
    })
  );
}

const isSystem = ({ role }: Message): boolean => role === 'system';

const isWords = ({ parts }: Message): boolean =>
  parts.every(({ type }) => type === 'text' || type === 'file' || type === 'reasoning');

/** Accepts or refuses a value that a client passed; `subject` names the value in an error message. */
export type Take = <T>(value: T, subject: string, instance?: CopyOptions['instance']) => T;

/** A frozen copy. Throws `INPUT_FORMAT` for a value that no request can carry and no store can keep. */
const takeCopy: Take = (value, subject, instance) =>
  readSafely(subject, () => copied(value, { freeze: true, stored: true, ...(instance && { instance }) }));

/** The value itself. Throws `INPUT_FORMAT` for a value that no request can carry. */
const takeOriginal: Take = (value, subject) => {
  const why = readSafely(subject, () => whyNotCopyable(value));
  if (why !== undefined) throw inputError(subject, why);
  return value;
};

/** Reads from a client's own objects, which may throw anything. Throws `INPUT_FORMAT` then. */
function readSafely<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    throw inputError(
      subject,
      error instanceof NotCopyable ? error.message : `it throws when it is read: ${thrownText(error)}`,
    );
  }
}

/** The error for input that a format does not read. */
function notOfFormat({ format, allowed, pass }: ListFormat, subject: string, found: string): SpillwayError {
  const remedy = `Pass ${pass}, or name the format the file is in.`;
  return new SpillwayError('INPUT_FORMAT', { subject: `${format}: ${subject}`, found, allowed, remedy });
}

const inputError = (subject: string, found: string): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject,
    found,
    allowed: 'what JSON can say, and bytes',
    remedy: 'Pass the body as it is sent to the provider.',
  });
