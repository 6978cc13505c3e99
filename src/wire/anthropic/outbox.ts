import type { Notice } from '../../spi/index.js';
import { BEGINS } from '../conversation/placeholders.js';
import { SAID, type RepairKind } from '../conversation/repairs.js';
import { marksAllowed, marksIn, withoutMarks } from './cache-marks.js';
import { blocksOf, isServerBlock, isThinking, type Block, type WireMessage } from './wire.js';
import { CONTINUE, GOES_ON, NOTHING_SAID } from './placeholders.js';

/** What is to be said, and how it came in. */
export interface Piece {
  readonly blocks: readonly Block[];
  readonly whole?: WireMessage | undefined;
  readonly frame?: WireMessage | undefined;
  /** Nothing of it was edited or mended: it stays a message of its own, as it was. */
  readonly faithful: boolean;
  readonly marks: number;
  /** Belongs to the message before it, where that has the same role. */
  readonly joins?: boolean;
}

interface Entry {
  readonly role: 'system' | 'user' | 'assistant';
  readonly frame: WireMessage | undefined;
  /** Set while it is the very object that came in. */
  whole: WireMessage | undefined;
  blocks: Block[];
  faithful: boolean;
  marks: number;
}

const words = (text: string): Piece => ({ blocks: [{ type: 'text', text }], faithful: false, marks: 0 });

/** The messages of one request as they come together: neighbours of one role become one where they must. */
export class Outbox {
  readonly #entries: Entry[] = [];
  readonly notices: Notice[] = [];

  note(at: string, kind: RepairKind, what: string): void {
    this.notices.push({ at, kind, what });
  }

  get lastRole(): Entry['role'] | undefined {
    return this.#entries.at(-1)?.role;
  }

  /** The assistant's turn. Thinking must begin it, so it never comes behind other words in one message. */
  assistant(piece: Piece, at: string, original: boolean): void {
    const last = this.#entries.at(-1);
    if (!last) {
      this.#push('user', words(BEGINS));
      if (original) this.note(at, 'begins-with-assistant', SAID.beginsWithAssistant);
    } else if (last.role === 'assistant' && !(last.faithful && piece.faithful)) {
      if (isThinking(piece.blocks[0] ?? {})) this.#push('user', words(GOES_ON));
    }
    this.say('assistant', piece);
  }

  say(role: Entry['role'], piece: Piece): void {
    if (piece.blocks.length === 0) return;
    const last = this.#entries.at(-1);
    const apart = last?.faithful === true && piece.faithful && piece.joins !== true;
    if (last?.role !== role || role === 'system' || apart) return this.#push(role, piece);
    last.whole = undefined;
    last.faithful &&= piece.faithful;
    last.marks += piece.marks;
    for (const block of piece.blocks) last.blocks.push(block);
  }

  #push(role: Entry['role'], { blocks, whole, frame, faithful, marks }: Piece): void {
    this.#entries.push({ role, frame, whole, blocks: [...blocks], faithful, marks });
  }

  /** The last turn is the user's, except where a tool of the provider's own is still at work. */
  close(at: string): void {
    const last = this.#entries.at(-1);
    if (!last) {
      this.note(at, 'nothing-said', 'no message says anything; a line of the user stands in');
      this.#push('user', words(NOTHING_SAID));
    } else if (last.role === 'assistant' && !isServerBlock(last.blocks.at(-1) ?? {})) {
      this.note(at, 'ends-with-assistant', SAID.endsWithAssistant);
      this.#push('user', words(CONTINUE));
    }
  }

  messages(marksOnSystem: number): unknown[] {
    const onMessages = this.#entries.reduce((sum, { marks }) => sum + marks, 0);
    let spare = onMessages - marksAllowed(marksOnSystem, onMessages);
    if (spare > 0)
      this.note('request', 'cache-mark', `${spare} older cache marks are left out; a request has at most 4`);
    return this.#entries.map((entry) => {
      if (spare <= 0 || entry.marks === 0) return written(entry);
      const blocks = entry.blocks.map((block) => {
        const marks = marksIn(block);
        if (marks === 0 || spare <= 0) return block;
        spare -= marks;
        return withoutMarks(block);
      });
      return written({ ...entry, frame: entry.frame ?? entry.whole, whole: undefined, blocks });
    });
  }
}

function written({ role, whole, frame, blocks }: Entry): WireMessage {
  if (whole) return whole;
  if (!frame) return { role, content: blocks };
  // A bare string that was taken apart by nothing stays one.
  const same = typeof frame.content === 'string' && blocks.length === 1 && blocks[0]!.text === frame.content;
  return { ...frame, role, content: same && isPlain(blocks[0]!) ? frame.content : blocks };
}

const isPlain = (block: Block): boolean =>
  blocksOf(block.text).length === 1 && Object.keys(block).length === 2;
