import { isFields, type Fields } from '../../../formats/index.js';
import {
  NO_STEP,
  summed,
  type PartMatcher,
  type RecallCall,
  type RecallStep,
  type RecallStream,
  type RecallWire,
  type Restored,
} from './wire.js';

/** The meaning of an event of a stream. */
export interface EventMeaning {
  /** A part of an answer: its head (the client sees only the first), its end, or a piece of one of its blocks. */
  readonly kind: 'head' | 'end' | 'block';
  /** The usage of the answer so far, if this event reports it. */
  readonly usage?: unknown;
  /** The provider's name for the block. If `begins` is true, a new block takes over the name. */
  readonly block?: unknown;
  readonly begins?: boolean;
}

/** The position at which the client sees an event of a block. */
export interface ClientPosition {
  /** Index of the block in the client's stream. */
  readonly index: number;
  /** Index of the answer within the call. */
  readonly answer: number;
}

/** The client's answer, made of all answers of a call. */
interface CombinedAnswer {
  readonly usage: unknown;
  readonly blocks: readonly Fields[];
  /** True if calls remain for the client to run. */
  readonly hasOthers: boolean;
}

/**
 * A wire whose answers are lists of blocks: thoughts, texts, calls. For example, the provider gives two answers,
 *
 *     thought A, "Let me look.", thought B, recall      then      "The wall is 417 cm."
 *
 * and the client gets one: `thought A, "Let me look.", "The wall is 417 cm."`, with the usage of both. `thought B` led
 * only to the recall: the log gets both (`logged`), and the second request holds all four blocks (`complete`). The log
 * has `thought A` too, unless a history may hold it only once (`isAllowedOnce`): the client's next request brings it.
 *
 * In a stream, a thought is held back until a later block is shown. `A` is sent with the first text, at places 0 and 1;
 * `B` is dropped when the answer ends in a recall. The second answer's head is dropped; its text is at place 2.
 */
export interface BlockWire extends PartMatcher {
  blocksOf(answer: Fields): readonly Fields[];
  isRecall(block: Fields): boolean;
  /** Whether the block is a call that the client runs. */
  isForClient(block: Fields, blocks: readonly Fields[]): boolean;
  /** Whether a history may hold a thought only once. If so, its recall is logged `withoutThought`. */
  isAllowedOnce(thought: Fields): boolean;
  withoutThought(recall: Fields): Fields;
  callOf(recall: Fields): RecallCall;
  /** Blocks as messages of a request. */
  messagesOf(blocks: readonly Fields[]): readonly unknown[];
  restored(messages: readonly unknown[], step: RecallStep, is: PartMatcher): Restored | undefined;
  /** Whether a limit or a filter ended the answer. */
  isCut(answer: Fields): boolean;
  /** The last answer, changed to represent all answers. */
  visible(last: Fields, all: CombinedAnswer): Fields;
  /** A block of a whole answer, as the client gets it. */
  clientBlock?(block: Fields, answer: number): Fields;

  /** Reads an event of a stream; undefined for an event that is passed on at once. */
  read(event: Fields): EventMeaning | undefined;
  /** A block with an event's piece added. A block starts without fields. */
  withPiece(block: Fields, event: Fields): Fields;
  /** An event, as the client gets it. */
  clientEvent(event: Fields, at?: ClientPosition): Fields;
  /** The answer in the end events of a stream; undefined if it failed or broke off, so that no recall is read. */
  answerIn(ends: readonly Fields[]): Fields | undefined;
  /** The end events of the last stream, changed to represent all answers. */
  clientEnds(ends: readonly Fields[], all: CombinedAnswer): readonly Fields[];
}

/** The recall methods of a wire with blocks. `open` makes a `BlockWire` for one call, with its own state. */
export function recallInBlocks(
  open: () => BlockWire,
): Pick<RecallWire, 'step' | 'restored' | 'visible' | 'stream'> {
  return {
    step(answer) {
      const wire = open();
      return stepOf(wire, wire.blocksOf(answer), wire.isCut(answer));
    },
    restored(messages, step) {
      const wire = open();
      return wire.restored(messages, step, wire);
    },
    visible(answers) {
      const wire = open();
      const last = answers.at(-1)!;
      const lastBlocks = wire.blocksOf(last);
      return wire.visible(last, {
        usage: answers.map(({ usage }) => usage).reduce(summed),
        blocks: answers.flatMap((answer, at) =>
          visibleBlocks(wire.blocksOf(answer), wire).map((block) => wire.clientBlock?.(block, at) ?? block),
        ),
        hasOthers: lastBlocks.some((block) => wire.isForClient(block, lastBlocks)),
      });
    },
    stream: () => new BlockStream(open()),
  };
}

/** The blocks of an answer that the client sees. If a recall is in it, a thought needs a visible block after it. */
function visibleBlocks(blocks: readonly Fields[], { isThought, isRecall }: BlockWire): readonly Fields[] {
  if (!blocks.some(isRecall)) return blocks;
  const last = blocks.findLastIndex((block) => !isThought(block) && !isRecall(block));
  return blocks.slice(0, last + 1).filter((block) => !isRecall(block));
}

/** Keeps thoughts with the recall that they led to. The client sees the text; its next request adds it to the log. */
function stepOf(wire: BlockWire, blocks: readonly Fields[], isCut: boolean): RecallStep {
  const hasOthers = blocks.some((block) => wire.isForClient(block, blocks));
  if (!blocks.some(wire.isRecall)) return { ...NO_STEP, hasOthers };
  const shown = new Set(visibleBlocks(blocks, wire));
  let isTied = false;
  const logged: Fields[] = [];
  for (const block of blocks) {
    if (wire.isThought(block)) isTied = shown.has(block) && wire.isAllowedOnce(block);
    if (wire.isRecall(block)) logged.push(isTied ? wire.withoutThought(block) : block);
    else if (wire.isThought(block) && !isTied) logged.push(block);
  }
  const calls = blocks.filter(wire.isRecall).map(wire.callOf);
  return { calls, logged: wire.messagesOf(logged), complete: wire.messagesOf(blocks), hasOthers, isCut };
}

interface Block {
  fields: Fields;
  /** Index in the client's stream; absent if the block is not shown. */
  clientIndex?: number;
}

/** The events of all answers of one call, without recalls and without the thoughts that led only to recalls. */
class BlockStream implements RecallStream {
  readonly #wire: BlockWire;
  readonly #seenHeads = new Set<unknown>();
  readonly #shownBlocks: Block[] = [];
  /** `#earlierUsage` sums the earlier answers; `#answerUsage` is the newest report of the current answer, itself a sum. */
  #earlierUsage: unknown;
  #answerUsage: unknown;
  #endEvents: readonly Fields[] = [];
  /** Blocks of the current answer, and the newest block of each name. */
  #blocks: Block[] = [];
  #openBlocks = new Map<unknown, Block>();
  /** Events of thoughts, held until it is known if they led to a recall. */
  #heldThoughts: { readonly block: Block; readonly event: Fields }[] = [];
  #answerIndex = 0;
  #hasOthers = false;

  constructor(wire: BlockWire) {
    this.#wire = wire;
  }

  *take(event: Fields): Iterable<Fields> {
    const wire = this.#wire;
    const meaning = wire.read(event);
    if (!meaning) return yield wire.clientEvent(event);
    if (isFields(meaning.usage))
      this.#answerUsage = { ...(this.#answerUsage as object | undefined), ...meaning.usage };
    if (meaning.kind === 'end') return void (this.#endEvents = [...this.#endEvents, event]);
    if (meaning.kind === 'head') {
      if (!this.#seenHeads.has(event.type)) yield wire.clientEvent(event);
      return void this.#seenHeads.add(event.type);
    }
    const block = this.#blockOf(meaning);
    block.fields = wire.withPiece(block.fields, event);
    if (wire.isRecall(block.fields)) return;
    if (wire.isThought(block.fields)) return void this.#heldThoughts.push({ block, event });
    yield* this.#releaseThoughts();
    yield this.#clientEvent(block, event);
  }

  endAnswer(): RecallStep {
    const wire = this.#wire;
    const answer = wire.answerIn(this.#endEvents);
    // End events that repeat the blocks are more reliable: some servers stream blocks incompletely or not at all.
    const all = answer ? wire.blocksOf(answer) : [];
    for (const fields of all) {
      const known = this.#blocks.find((block) => wire.isSame(block.fields, fields));
      if (known) known.fields = fields;
      else if (this.#blocks.length < all.length) this.#blocks.push({ fields });
    }
    const blocks = this.#blocks.map(({ fields }) => fields);
    const step = answer ? stepOf(wire, blocks, wire.isCut(answer)) : NO_STEP;
    if (step.calls.length > 0) this.#heldThoughts = [];
    const shown = new Set(answer && visibleBlocks(blocks, wire));
    for (const block of this.#blocks) if (shown.has(block.fields)) this.#clientIndexOf(block);
    this.#hasOthers = step.hasOthers;
    this.#earlierUsage = summed(this.#earlierUsage, this.#answerUsage);
    this.#answerUsage = undefined;
    this.#blocks = [];
    this.#openBlocks = new Map();
    this.#answerIndex++;
    return step;
  }

  beginAnswer(): void {
    this.#endEvents = [];
  }

  *finish(): Iterable<Fields> {
    yield* this.#releaseThoughts();
    const blocks = this.#shownBlocks.map(({ fields }) => fields);
    const all = { usage: this.#earlierUsage, blocks, hasOthers: this.#hasOthers };
    if (this.#endEvents.length === 0) return;
    for (const event of this.#wire.clientEnds(this.#endEvents, all)) yield this.#wire.clientEvent(event);
  }

  #blockOf({ block: name, begins = false }: EventMeaning): Block {
    const known = this.#openBlocks.get(name);
    if (known && !begins) return known;
    const block: Block = { fields: {} };
    this.#openBlocks.set(name, block);
    this.#blocks.push(block);
    return block;
  }

  /** Thoughts that led to something visible to the client. */
  #releaseThoughts(): readonly Fields[] {
    const held = this.#heldThoughts;
    this.#heldThoughts = [];
    return held.map(({ block, event }) => this.#clientEvent(block, event));
  }

  /** An event at the client's own index; blocks that the client does not see have no index. */
  #clientEvent(block: Block, event: Fields): Fields {
    return this.#wire.clientEvent(event, { index: this.#clientIndexOf(block), answer: this.#answerIndex });
  }

  #clientIndexOf(block: Block): number {
    return (block.clientIndex ??= this.#shownBlocks.push(block) - 1);
  }
}
