import { SpillwayError } from '../../errors/index.js';
import type { Notice, Parsed, RequestReader, WireFormat } from '../../spi/index.js';
import {
  atOnce,
  copied,
  type CopyOptions,
  isPlain,
  type Message,
  NotCopyable,
  type Steps,
  whyNotCopyable,
} from '../../transcript/index.js';

/** What one piece of a list was parsed to. */
export interface ParsedPiece {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

/** Parses a list piece by piece, in order. What later pieces must know of earlier ones is kept inside. */
export interface PieceParser {
  /** The piece of the list from `from` up to `to`. Throws `INPUT_FORMAT`. */
  parse(list: readonly unknown[], from: number, to: number): ParsedPiece;
  /** Takes in a piece that was parsed before, as if it were parsed now. */
  recall(list: readonly unknown[], from: number, to: number, messages: readonly Message[]): void;
}

/** A request body, opened: its list, and what stands beside it. */
export interface OpenedList {
  readonly list: readonly unknown[];
  /** Messages and notices of what stands beside the list; they come first. */
  readonly before?: ParsedPiece;
  readonly beside: Pick<Parsed, 'tools' | 'model'>;
  /** What of the body decides how its list is read, beside the ids of `before`. */
  readonly reads?: string;
  /** How instances of classes in the list are copied; without it they are not. */
  readonly instance?: CopyOptions['instance'];
  /** Where the piece that begins at `from` ends. Without it each item is one. */
  endOf?(from: number): number;
  start(): PieceParser;
  /** Throws `INPUT_FORMAT` where every item could be read and yet none is known. */
  check?(): void;
}

/** Opens a request body; what it reads of it beside the list it takes first. Throws `INPUT_FORMAT`. */
type Open = (input: unknown, take: Take) => OpenedList;

interface KnownPiece extends ParsedPiece {
  readonly from: number;
  readonly to: number;
}

interface Known {
  readonly key: string;
  readonly list: readonly unknown[];
  readonly pieces: readonly KnownPiece[];
  /** Has taken in `taken` pieces of the list; undefined after a fault. */
  readonly parser: PieceParser | undefined;
  readonly taken: number;
}

const NOTHING: ParsedPiece = { messages: [], notices: [] };

/**
 * How a format reads: `parse` is one read of a new reader, so that the two cannot come to differ. Only that `parse`
 * shares objects with its input, and a reader, whose client goes on writing to them, takes copies.
 */
export function readsLists(open: Open): Required<Pick<WireFormat, 'parse' | 'createReader'>> {
  return {
    parse: (input) => {
      const { changedFrom: _, ...parsed } = createListReader(open, asItIs).read(input);
      return parsed;
    },
    createReader: () => createListReader(open, takenIn),
  };
}

/**
 * Reads a conversation that is sent whole each time and parses what is new in it. A piece that says what it said is the
 * messages it was, the very objects; looking at it costs one comparison. Where an earlier piece has changed, what comes
 * behind it is parsed anew unless the new one says no more than words. What was taken as a copy is compared by what it
 * says, so that a client's write to its own objects is seen.
 */
function createListReader(open: Open, take: Take): RequestReader {
  let known: Known | undefined;
  function* reading(input: unknown): Steps<Parsed> {
    const opened = open(input, take);
    const before = opened.before ?? NOTHING;
    const key = JSON.stringify([opened.reads, before.messages.map(({ id }) => id)]);
    const base = known?.key === key ? known : undefined;
    known = undefined; // should anything below throw, the next read starts over
    const pieces = yield* readPieces(opened, key, base, take);
    opened.check?.();
    known = pieces;
    const messages = [...before.messages];
    const notices = [...before.notices];
    let changedFrom = before.messages.length;
    let isUnchanged = true;
    let isAtHead = messages.every(isInstruction);
    for (const [index, piece] of pieces.pieces.entries()) {
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

function* readPieces(opened: OpenedList, key: string, base: Known | undefined, take: Take): Steps<Known> {
  const { list } = opened;
  // As long as the list from the start: parsers ask how long it is.
  const items = [...list];
  const pieces: KnownPiece[] = [];
  let { parser, taken } = base ?? { parser: undefined, taken: 0 };
  /** All so far leaves a parser where the pieces of the last read left it. */
  let inStep = base !== undefined;
  for (let from = 0; from < list.length;) {
    const to = opened.endOf?.(from) ?? from + 1;
    const old = inStep ? base!.pieces[pieces.length] : undefined;
    if (old && stands(old, base!.list, list, from, to)) {
      pieces.push(old);
      for (let at = from; at < to; at++) items[at] = base!.list[at];
    } else {
      if (!parser || taken > pieces.length) [parser, taken] = [opened.start(), 0];
      for (; taken < pieces.length; taken++) {
        const piece = pieces[taken]!;
        parser.recall(items, piece.from, piece.to, piece.messages);
      }
      for (let at = from; at < to; at++) items[at] = take(list[at], `message ${at}`, opened.instance);
      const { messages, notices } = parser.parse(items, from, to);
      pieces.push({ from, to, messages, notices });
      taken = pieces.length;
      inStep = old !== undefined && standsIn(messages, old.messages);
    }
    from = to;
    yield;
  }
  return { key, list: items, pieces, parser, taken };
}

function stands(
  old: KnownPiece,
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

function isInstruction({ role }: Message): boolean {
  return role === 'system';
}

function isWords({ parts }: Message): boolean {
  return parts.every(({ type }) => type === 'text' || type === 'file' || type === 'reasoning');
}

/** How what a client passed is taken, or refused: a value, and what it is in the words of an error message. */
export type Take = <T>(value: T, subject: string, instance?: CopyOptions['instance']) => T;

/** A frozen copy. Throws `INPUT_FORMAT` for what no request can carry. */
const takenIn: Take = (value, subject, instance) => {
  try {
    return copied(value, { freeze: true, ...(instance && { instance }) });
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    throw refused(subject, error.message);
  }
};

/** The value itself. Throws `INPUT_FORMAT` for what no request can carry. */
const asItIs: Take = (value, subject) => {
  const why = whyNotCopyable(value);
  if (why !== undefined) throw refused(subject, why);
  return value;
};

const refused = (subject: string, found: string): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject,
    found,
    allowed: 'what JSON can say, and bytes',
    remedy: 'Pass the body as it is sent to the provider.',
  });

/**
 * Whether two values from outside say the same in the same order, so that what the one was parsed to stands for the
 * other. Bytes and addresses are compared by what they hold; instances of one class by their own fields, if any.
 */
export function sameItem(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!sameItem(a[at], b[at])) return false;
    return true;
  }
  if (!isPlain(a) || !isPlain(b)) return sameInstance(a, b);
  return sameFields(a, b);
}

function sameInstance(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array) === 0;
  if (a instanceof ArrayBuffer)
    return Buffer.compare(new Uint8Array(a), new Uint8Array(b as ArrayBuffer)) === 0;
  if (a instanceof URL || a instanceof Date) return String(a) === String(b);
  return Object.keys(a).length > 0 && sameFields(a, b);
}

function sameFields(a: object, b: object): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key !== others[at] || !sameItem(a[key as keyof object], b[key as keyof object])) return false;
  }
  return true;
}
