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

/** Where a piece of a list stands. */
export interface Place {
  /** What its message is called, or the first of them. */
  readonly id: string;
  readonly past: Past;
  /** What of the body decides how its list is read. */
  readonly reads: string;
  readonly report: Report;
}

/** A request body, opened: its list, and what stands beside it. */
export interface OpenedBody {
  /** Refused where it is none. */
  readonly list: unknown;
  /** Messages of what stands beside the list; they come first. */
  readonly before?: readonly Message[];
  readonly beside: Pick<Parsed, 'tools' | 'model'>;
  /** What of the body decides how its list is read, beside the ids of `before`. */
  readonly reads?: string;
}

/** How one format says what a conversation is made of; reading it piece by piece is the same for all. */
export interface Reading {
  readonly format: string;
  /** For errors: what is read, and what to pass. */
  readonly allowed: string;
  readonly pass: string;
  /** The field of a body in which its list stands; a bare list counts as a body of nothing else. */
  readonly field: string;
  /** Opens a body; what it reads of it beside the list it takes first. Reports are of its system prompt. */
  open(body: Fields, take: Take, report: Report): OpenedBody;
  /** How instances of classes in the list are copied; without it they are not. */
  readonly instance?: CopyOptions['instance'];
  /** Where the piece that begins at `from` ends. Without it each item is one. */
  endOf?(list: readonly unknown[], from: number): number;
  /** An item's own id. */
  idOf?(item: Fields): unknown;
  /** What makes an item one of another format. */
  foreign?(item: Fields): string | undefined;
  /** Where no item of a list is known it is refused. */
  isKnown?(item: Fields): boolean;
  messagesOf(items: readonly [Fields, ...Fields[]], place: Place): readonly Message[];
}

/** A piece of a list, and what it was parsed to. */
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
  /** Undefined where no piece was parsed. */
  readonly past: Past | undefined;
}

/**
 * What of a format its reading says. `parse` is one read of a new reader, so that the two cannot come to differ. Only that
 * `parse` shares objects with its input, and a reader, whose client goes on writing to them, takes copies.
 */
export function readsLists(
  format: Reading,
): Pick<WireFormat, 'name' | 'messagesField' | 'parse' | 'createReader'> {
  return {
    name: format.format,
    messagesField: format.field,
    parse: (input) => {
      const { changedFrom: _, ...parsed } = createListReader(format, asItIs).read(input);
      return parsed;
    },
    createReader: () => createListReader(format, takenIn),
  };
}

/**
 * Reads a conversation that is sent whole each time and parses what is new in it. A piece that says what it said is the
 * messages it was, the very objects; looking at it costs one comparison. Where an earlier piece has changed, what comes
 * behind it is parsed anew unless the new one says no more than words. What was taken as a copy is compared by what it
 * says, so that a client's write to its own objects is seen.
 */
function createListReader(format: Reading, take: Take): RequestReader {
  let known: Known | undefined;
  function* reading(input: unknown): Steps<Parsed> {
    const notices: Notice[] = [];
    const body = isFields(input) ? input : { [format.field]: input };
    const opened = legible('the body', () => format.open(body, take, reporter('system', notices)));
    const { list, before = [], reads } = opened;
    if (!Array.isArray(list)) throw notOfFormat(format, 'the input', kindOf(input));
    const key = JSON.stringify([reads, before.map(({ id }) => id)]);
    const base = known?.key === key ? known : undefined;
    known = undefined; // should anything below throw, the next read starts over
    const read = yield* readPieces(format, opened, list, base, take);
    const isKnown = (item: unknown): boolean => isFields(item) && format.isKnown!(item);
    if (format.isKnown && list.length > 0 && !read.list.some(isKnown))
      throw notOfFormat(format, 'the messages', `nothing known in any of ${list.length}`);
    known = { key, ...read };
    const messages = [...before];
    let changedFrom = before.length;
    let isUnchanged = true;
    let isAtHead = messages.every(isInstruction);
    for (const [index, piece] of known.pieces.entries()) {
      // Instructions at the head come first, and are told apart by whoever looks at them.
      isAtHead &&= piece.messages.every(isInstruction);
      isUnchanged &&= isAtHead || piece === base?.pieces[index];
      for (const message of piece.messages) messages.push(message);
      for (const notice of piece.notices) notices.push(notice);
      if (isUnchanged) changedFrom = messages.length;
      yield;
    }
    return { messages, notices, changedFrom, ...take(opened.beside, 'what the body says beside its list') };
  }
  return { read: (input) => atOnce(reading(input)), reading };
}

function* readPieces(
  format: Reading,
  { before = [], reads = '' }: OpenedBody,
  list: readonly unknown[],
  base: Known | undefined,
  take: Take,
): Steps<Omit<Known, 'key'>> {
  const items: unknown[] = [];
  const pieces: Piece[] = [];
  let past = base?.past;
  /** All so far leaves a past as the pieces of the last read left it. */
  let inStep = base !== undefined;
  for (let from = 0; from < list.length;) {
    const to = legible(`message ${from}`, () => format.endOf?.(list, from)) ?? from + 1;
    const old = inStep ? base!.pieces[pieces.length] : undefined;
    if (old && legible(`message ${from}`, () => stands(old, base!.list, list, from, to))) {
      pieces.push(old);
      for (let at = from; at < to; at++) items.push(base!.list[at]);
    } else {
      if (past?.pieces !== pieces.length)
        past = new Past([before, ...pieces.map(({ messages }) => messages)]);
      for (let at = from; at < to; at++) items.push(take(list[at], `message ${at}`, format.instance));
      const piece = parsed(format, items.slice(from), from, past, reads);
      past.see(piece.messages);
      pieces.push(piece);
      inStep = old !== undefined && standsIn(piece.messages, old.messages);
    }
    from = to;
    yield;
  }
  return { list: items, pieces, past };
}

/** Throws `INPUT_FORMAT` for what is no item of the format. */
function parsed(format: Reading, items: readonly unknown[], from: number, past: Past, reads: string): Piece {
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
  const messages = format.messagesOf(known, { id, past, reads, report });
  return { from, to: from + items.length, messages, notices };
}

function stands(
  old: Piece,
  was: readonly unknown[],
  list: readonly unknown[],
  from: number,
  to: number,
): boolean {
  if (old.from !== from || old.to !== to) return false;
  for (let at = from; at < to; at++) if (!sameItem(was[at], list[at])) return false;
  return true;
}

/** Whether later messages parse the same behind both: they hold only text and files, with equal ids and roles. */
function standsIn(messages: readonly Message[], old: readonly Message[]): boolean {
  return (
    messages.length === old.length &&
    messages.every((message, at) => {
      const other = old[at]!;
      return message.id === other.id && message.role === other.role && isWords(message) && isWords(other);
    })
  );
}

const isInstruction = ({ role }: Message): boolean => role === 'system';

const isWords = ({ parts }: Message): boolean =>
  parts.every(({ type }) => type === 'text' || type === 'file' || type === 'reasoning');

/** How what a client passed is taken, or refused: a value, and what it is in the words of an error message. */
export type Take = <T>(value: T, subject: string, instance?: CopyOptions['instance']) => T;

/** A frozen copy. Throws `INPUT_FORMAT` for what no request can carry and no store can keep. */
const takenIn: Take = (value, subject, instance) =>
  legible(subject, () => copied(value, { freeze: true, stored: true, ...(instance && { instance }) }));

/** The value itself. Throws `INPUT_FORMAT` for what no request can carry. */
const asItIs: Take = (value, subject) => {
  const why = legible(subject, () => whyNotCopyable(value));
  if (why !== undefined) throw refused(subject, why);
  return value;
};

/** What is read of a client's own objects. They may throw anything: `INPUT_FORMAT` then. */
function legible<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    throw refused(
      subject,
      error instanceof NotCopyable ? error.message : `it throws when it is read: ${thrownText(error)}`,
    );
  }
}

/** The error for input that a format does not read. */
function notOfFormat({ format, allowed, pass }: Reading, subject: string, found: string): SpillwayError {
  const remedy = `Pass ${pass}, or name the format the file is in.`;
  return new SpillwayError('INPUT_FORMAT', { subject: `${format}: ${subject}`, found, allowed, remedy });
}

const refused = (subject: string, found: string): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject,
    found,
    allowed: 'what JSON can say, and bytes',
    remedy: 'Pass the body as it is sent to the provider.',
  });
