import type { Notice, Parsed, RequestReader, WireFormat } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { sameItem } from './same-item.js';

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
  /** Where the piece that begins at `from` ends. Without it each item is one. */
  endOf?(from: number): number;
  start(): PieceParser;
  /** Throws `INPUT_FORMAT` where every item could be read and yet none is known. */
  check?(): void;
}

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

/** How a format reads: `parse` is one read of a new reader, so that the two cannot come to differ. */
export function readsLists(
  open: (input: unknown) => OpenedList,
): Required<Pick<WireFormat, 'parse' | 'createReader'>> {
  const createReader = (): RequestReader => createListReader(open);
  return { parse: (input) => createReader().read(input), createReader };
}

/**
 * Reads a conversation that is sent whole each time and parses what is new in it. A piece that stands where it stood is
 * the messages it was, the very objects; looking at it costs one comparison. Where an earlier piece has changed, what
 * stands behind it is parsed anew unless the new one says no more than words.
 */
function createListReader(open: (input: unknown) => OpenedList): RequestReader {
  let known: Known | undefined;
  return {
    read(input) {
      const opened = open(input);
      const before = opened.before ?? NOTHING;
      const key = JSON.stringify([opened.reads, before.messages.map(({ id }) => id)]);
      const base = known?.key === key ? known : undefined;
      known = undefined; // should anything below throw, the next read starts over
      known = readPieces(opened, key, base);
      opened.check?.();
      const messages = [...before.messages];
      const notices = [...before.notices];
      for (const piece of known.pieces) {
        for (const message of piece.messages) messages.push(message);
        for (const notice of piece.notices) notices.push(notice);
      }
      return { messages, notices, ...opened.beside };
    },
  };
}

function readPieces(opened: OpenedList, key: string, base: Known | undefined): Known {
  const { list } = opened;
  const items: unknown[] = [];
  const pieces: KnownPiece[] = [];
  let { parser, taken } = base ?? { parser: undefined, taken: 0 };
  /** All so far leaves a parser where the pieces of the last read left it. */
  let inStep = base !== undefined;
  for (let from = 0; from < list.length;) {
    const to = opened.endOf?.(from) ?? from + 1;
    const old = inStep ? base!.pieces[pieces.length] : undefined;
    if (old && stands(old, base!.list, list, from, to)) {
      pieces.push(old);
      for (let at = from; at < to; at++) items.push(base!.list[at]);
    } else {
      if (!parser || taken > pieces.length) [parser, taken] = [opened.start(), 0];
      for (; taken < pieces.length; taken++) {
        const piece = pieces[taken]!;
        parser.recall(items, piece.from, piece.to, piece.messages);
      }
      const { messages, notices } = parser.parse(list, from, to);
      pieces.push({ from, to, messages, notices });
      taken = pieces.length;
      for (let at = from; at < to; at++) items.push(list[at]);
      inStep = old !== undefined && standsIn(messages, old.messages);
    }
    from = to;
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

/** Whether what follows is read alike behind the one and behind the other: nothing but words and files, said alike. */
function standsIn(messages: readonly Message[], old: readonly Message[]): boolean {
  return (
    messages.length === old.length &&
    messages.every((message, at) => {
      const other = old[at]!;
      return message.id === other.id && message.role === other.role && isWords(message) && isWords(other);
    })
  );
}

function isWords({ parts }: Message): boolean {
  return parts.every(({ type }) => type === 'text' || type === 'file' || type === 'reasoning');
}
