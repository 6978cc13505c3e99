import type { Notice } from '../../spi/index.js';
import { BEGINS } from '../conversation/placeholders.js';
import { type RepairKind, SAID } from '../conversation/repairs.js';
import { type Fields, isFields } from '../record.js';
import { type Block, blocksOf, isServerBlock, isThinking, type WireMessage } from './wire.js';

/** Texts that only this format's requests need. They are sent to models: plain, labelled, and final. */

/** Between two turns of the assistant that may not become one. */
const GOES_ON = '[The conversation goes on.]';

/** Requests end with the user's turn. */
const CONTINUE = '[Continue.]';

const NOTHING_SAID = '[Nothing was said yet.]';

/** What is to be said, and how it came in. */
interface Piece {
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

/** Most blocks that may carry `cache_control` in one request; tools, system and messages together. */
const MOST_MARKS = 4;

/** Where there were more, so many are left: one may stand on the tools, which are not seen from here. */
const LEFT = 3;

/** Cache marks on a block and inside it. */
export function marksIn(block: Block): number {
  let marks = isMarked(block) ? 1 : 0;
  if (Array.isArray(block.content))
    for (const inner of block.content) if (isFields(inner)) marks += marksIn(inner);
  return marks;
}

const isMarked = (block: Block): boolean => block.cache_control !== undefined && block.cache_control !== null;

function withoutMarks(block: Block): Block {
  if (marksIn(block) === 0) return block;
  const { cache_control: _, ...unmarked } = block;
  if (!Array.isArray(unmarked.content)) return unmarked;
  const content = unmarked.content.map((inner: unknown) => (isFields(inner) ? withoutMarks(inner) : inner));
  return { ...unmarked, content };
}

/**
 * How many marks the messages may keep. Clients move theirs along as the conversation grows; a log that was put
 * together from many requests holds every place where one ever stood. The newest are the ones that count.
 */
function marksAllowed(onSystem: number, onMessages: number): number {
  return onSystem + onMessages <= MOST_MARKS ? onMessages : Math.max(0, LEFT - onSystem);
}

/** A whole body with no more cache marks than are taken, those on the tools counted: the oldest of its messages lose theirs. */
export function fitCacheMarks(body: Fields): Fields {
  const { messages, system, tools } = body;
  if (!Array.isArray(messages)) return body;
  const list = (messages as readonly unknown[]).map((message) => (isFields(message) ? message : {}));
  const marks = [
    ...blocksIn(tools),
    ...blocksIn(system),
    ...list.flatMap(({ content }) => blocksIn(content)),
  ];
  let spare = marks.reduce((sum, block) => sum + marksIn(block), 0) - MOST_MARKS;
  if (spare <= 0) return body;
  const fitted = list.map((message, at) => {
    if (spare <= 0 || !Array.isArray(message.content)) return messages[at] as unknown;
    const content = message.content.map((block: unknown) => {
      const found = isFields(block) && spare > 0 ? marksIn(block) : 0;
      spare -= found;
      return found > 0 ? withoutMarks(block as Block) : block;
    });
    return { ...message, content };
  });
  return { ...body, messages: fitted };
}

function blocksIn(content: unknown): Block[] {
  return Array.isArray(content) ? content.filter(isFields) : [];
}
