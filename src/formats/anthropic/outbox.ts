import type { Notice } from '../../spi/index.js';
import { OPENING_TURN, TURN_BREAK } from '../conversation/placeholders.js';
import { type RepairKind, REPAIRS } from '../conversation/repairs.js';
import { type Fields, fieldsOf, isFields, isSet, listOf } from '../record.js';
import { type Block, isServerBlock, isThinking, type WireMessage } from './wire.js';

/** Texts that only this format's requests need. Models read them: they are plain, labelled, and final. */

/** Sent last if a request would end with the assistant's turn. */
const CONTINUE = '[Continue.]';

const EMPTY_REQUEST = '[Nothing was said yet.]';

/** Content to send, and the object that it came in. */
interface Piece {
  readonly blocks: readonly Block[];
  readonly unchanged?: WireMessage | undefined;
  readonly frame?: WireMessage | undefined;
  /** Whether nothing of it was edited or repaired: it remains a separate message, as it was. */
  readonly isIntact: boolean;
  /** Whether it belongs to the message before it, if that message has the same role. */
  readonly mayJoin?: boolean;
}

interface Entry {
  readonly role: 'system' | 'user' | 'assistant';
  readonly frame: WireMessage | undefined;
  /** Set as long as the entry is the very object that came in. */
  unchanged: WireMessage | undefined;
  blocks: Block[];
  isIntact: boolean;
}

export const textPiece = (text: string): Piece => ({ blocks: [{ type: 'text', text }], isIntact: false });

/** The messages of one request while it is built: neighbours of one role are merged if they must be. */
export class Outbox {
  readonly #entries: Entry[] = [];
  readonly notices: Notice[] = [];

  note(at: string, kind: RepairKind, what: string): void {
    this.notices.push({ at, kind, what });
  }

  get lastRole(): Entry['role'] | undefined {
    return this.#entries.at(-1)?.role;
  }

  /** Adds to the assistant's turn. Thinking must begin the turn, so it never follows other text in one message. */
  addAssistant(piece: Piece, at: string, original: boolean): void {
    const last = this.#entries.at(-1);
    // The provider's own summary has to come first.
    if (!last && piece.blocks[0]?.type !== 'compaction') {
      this.#push('user', textPiece(OPENING_TURN));
      if (original) this.note(at, 'begins-with-assistant', REPAIRS.beginsWithAssistant);
    } else if (last?.role === 'assistant' && !(last.isIntact && piece.isIntact)) {
      if (isThinking(piece.blocks[0] ?? {})) this.#push('user', textPiece(TURN_BREAK));
    }
    this.add('assistant', piece);
  }

  /** Leaves out thinking at the end of the assistant's turn: it led to nothing, and the provider refuses it there. */
  #endTurn(): void {
    const last = this.#entries.at(-1);
    if (last?.role !== 'assistant' || !isThinking(last.blocks.at(-1) ?? {})) return;
    this.note('request', 'dangling-reasoning', REPAIRS.dangling);
    last.unchanged = undefined;
    last.blocks.pop();
    if (last.blocks.length === 0) this.#entries.pop();
    this.#endTurn();
  }

  add(role: Entry['role'], piece: Piece): void {
    if (piece.blocks.length === 0 && role !== 'system') return;
    const last = this.#entries.at(-1);
    const staysSeparate = last?.isIntact === true && piece.isIntact && piece.mayJoin !== true;
    if (last?.role !== role || role === 'system' || staysSeparate) return this.#push(role, piece);
    last.unchanged = undefined;
    last.isIntact &&= piece.isIntact;
    for (const block of piece.blocks) last.blocks.push(block);
  }

  #push(role: Entry['role'], { blocks, unchanged, frame, isIntact }: Piece): void {
    if (role !== 'assistant') this.#endTurn();
    this.#entries.push({ role, frame, unchanged, blocks: [...blocks], isIntact });
  }

  /** Ends with the user's turn, unless a provider-run tool is still at work or the provider's summary comes last. */
  close(at: string): void {
    this.#endTurn();
    const last = this.#entries.at(-1);
    if (!last) {
      this.note(at, 'nothing-said', 'no message has words; a line of the user was added');
      this.#push('user', textPiece(EMPTY_REQUEST));
    } else if (last.role === 'assistant' && !mayEndRequest(last.blocks.at(-1) ?? {})) {
      this.note(at, 'ends-with-assistant', REPAIRS.endsWithAssistant);
      this.#push('user', textPiece(CONTINUE));
    }
  }

  messages(system: readonly Block[]): readonly unknown[] {
    const messages = this.#entries.map(toMessage);
    const marks = marksOn(system) + marksOn(messages.flatMap(blocksIn));
    if (marks <= MAX_MARKS) return messages;
    const surplus = marks - KEPT_MARKS;
    this.note('request', 'cache-mark', `${surplus} older cache marks are left out; a request has at most 4`);
    return withoutOldest(messages, surplus);
  }
}

const mayEndRequest = (block: Block): boolean => isServerBlock(block) || block.type === 'compaction';

const toMessage = ({ role, unchanged, frame, blocks }: Entry): WireMessage =>
  unchanged ?? { ...frame, role, content: blocks };

/** The most blocks that may carry `cache_control` in one request: tools, system and messages together. */
const MAX_MARKS = 4;

/**
 * How many marks are kept if there are too many: one may be on the tools, which are not visible here. Clients move
 * marks as the conversation grows; a log of many requests has one at every place where a mark ever was.
 */
const KEPT_MARKS = 3;

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

/** The messages without this number of their marks, the oldest removed first. */
function withoutOldest(messages: readonly unknown[], surplus: number): readonly unknown[] {
  let remaining = surplus;
  return messages.map((message) => {
    if (remaining <= 0 || marksOn(blocksIn(message)) === 0) return message;
    const content = blocksIn(message).map((block) => {
      const marks = remaining > 0 ? marksOn([block]) : 0;
      remaining -= marks;
      return marks > 0 ? withoutMarks(block as Block) : block;
    });
    return { ...(message as WireMessage), content };
  });
}

/** A whole body with no more cache marks than are allowed, those on tools included: the oldest messages lose theirs. */
export function fitCacheMarks(body: Fields): Fields {
  const { messages, system, tools } = body;
  const list = listOf(messages);
  const marks = marksOn([...listOf(tools), ...listOf(system), ...list.flatMap(blocksIn)]);
  if (marks <= MAX_MARKS || list.length === 0) return body;
  return { ...body, messages: withoutOldest(list, marks - MAX_MARKS) };
}

const blocksIn = (message: unknown): readonly unknown[] => listOf(fieldsOf(message).content);
