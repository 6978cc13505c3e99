import type { Notice } from '../../spi/index.js';
import { BEGINS, GOES_ON } from '../conversation/placeholders.js';
import { type RepairKind, SAID } from '../conversation/repairs.js';
import { type Fields, fieldsOf, isFields, isSet, listOf } from '../record.js';
import { type Block, isServerBlock, isThinking, type WireMessage } from './wire.js';

/** Texts that only this format's requests need. They are sent to models: plain, labelled, and final. */

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
}

export const words = (text: string): Piece => ({ blocks: [{ type: 'text', text }], faithful: false });

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
    // The provider's own summary has to stand first.
    if (!last && piece.blocks[0]?.type !== 'compaction') {
      this.#push('user', words(BEGINS));
      if (original) this.note(at, 'begins-with-assistant', SAID.beginsWithAssistant);
    } else if (last?.role === 'assistant' && !(last.faithful && piece.faithful)) {
      if (isThinking(piece.blocks[0] ?? {})) this.#push('user', words(GOES_ON));
    }
    this.say('assistant', piece);
  }

  say(role: Entry['role'], piece: Piece): void {
    if (piece.blocks.length === 0 && role !== 'system') return;
    const last = this.#entries.at(-1);
    const apart = last?.faithful === true && piece.faithful && piece.joins !== true;
    if (last?.role !== role || role === 'system' || apart) return this.#push(role, piece);
    last.whole = undefined;
    last.faithful &&= piece.faithful;
    for (const block of piece.blocks) last.blocks.push(block);
  }

  #push(role: Entry['role'], { blocks, whole, frame, faithful }: Piece): void {
    this.#entries.push({ role, frame, whole, blocks: [...blocks], faithful });
  }

  /** The last turn is the user's, except where a tool of the provider's own is still at work, or its own summary is all. */
  close(at: string): void {
    const last = this.#entries.at(-1);
    if (!last) {
      this.note(at, 'nothing-said', 'no message says anything; a line of the user stands in');
      this.#push('user', words(NOTHING_SAID));
    } else if (last.role === 'assistant' && !mayEnd(last.blocks.at(-1) ?? {})) {
      this.note(at, 'ends-with-assistant', SAID.endsWithAssistant);
      this.#push('user', words(CONTINUE));
    }
  }

  messages(system: readonly Block[]): readonly unknown[] {
    const messages = this.#entries.map(written);
    const marks = marksOn(system) + marksOn(messages.flatMap(blocksIn));
    if (marks <= MOST_MARKS) return messages;
    const spare = marks - LEFT;
    this.note('request', 'cache-mark', `${spare} older cache marks are left out; a request has at most 4`);
    return withoutOldest(messages, spare);
  }
}

const mayEnd = (block: Block): boolean => isServerBlock(block) || block.type === 'compaction';

function written({ role, whole, frame, blocks }: Entry): WireMessage {
  if (whole) return whole;
  return { ...frame, role, content: blocks };
}

/** Most blocks that may carry `cache_control` in one request; tools, system and messages together. */
const MOST_MARKS = 4;

/**
 * Where there were more, so many are left: one may stand on the tools, which are not seen from here. Clients move their marks
 * along as the conversation grows; a log that was put together from many requests holds every place where one ever stood.
 */
const LEFT = 3;

/** Cache marks on blocks and inside them. */
function marksOn(blocks: readonly unknown[]): number {
  return blocks.reduce<number>((sum, block) => {
    if (!isFields(block)) return sum;
    return sum + (isSet(block.cache_control) ? 1 : 0) + marksOn(listOf(block.content));
  }, 0);
}

function withoutMarks(block: Block): Block {
  if (marksOn([block]) === 0) return block;
  const { cache_control: _, ...unmarked } = block;
  if (!Array.isArray(unmarked.content)) return unmarked;
  const content = unmarked.content.map((inner: unknown) => (isFields(inner) ? withoutMarks(inner) : inner));
  return { ...unmarked, content };
}

/** The messages without so many of their marks, from the oldest on. */
function withoutOldest(messages: readonly unknown[], spare: number): readonly unknown[] {
  let left = spare;
  return messages.map((message) => {
    if (left <= 0 || marksOn(blocksIn(message)) === 0) return message;
    const content = blocksIn(message).map((block) => {
      const marks = left > 0 ? marksOn([block]) : 0;
      left -= marks;
      return marks > 0 ? withoutMarks(block as Block) : block;
    });
    return { ...(message as WireMessage), content };
  });
}

/** A whole body with no more cache marks than are taken, those on the tools counted: the oldest of its messages lose theirs. */
export function fitCacheMarks(body: Fields): Fields {
  const { messages, system, tools } = body;
  const list = listOf(messages);
  const marks = marksOn([...listOf(tools), ...listOf(system), ...list.flatMap(blocksIn)]);
  if (marks <= MOST_MARKS || list.length === 0) return body;
  return { ...body, messages: withoutOldest(list, marks - MOST_MARKS) };
}

const blocksIn = (message: unknown): readonly unknown[] => listOf(fieldsOf(message).content);
