import { isFields, type Fields } from '../../../formats/index.js';
import {
  NO_STEP,
  summed,
  type Likeness,
  type RecallCall,
  type RecallStep,
  type RecallStream,
  type RecallWire,
  type Restored,
} from './wire.js';

/** The meaning of an event of a stream. */
export interface Told {
  /** A part of an answer: its head (the client sees only the first), its end, or a piece of one of its blocks. */
  readonly of: 'head' | 'end' | 'block';
  /** The usage of the answer so far, if this event reports it. */
  readonly usage?: unknown;
  /** The provider's name for the block. If `begins` is true, a new block takes over the name. */
  readonly block?: unknown;
  readonly begins?: boolean;
}

/** The position at which the client sees an event of a block. */
export interface Shown {
  /** Index of the block in the client's stream. */
  readonly place: number;
  /** Index of the answer within the call. */
  readonly answer: number;
}

/** The client's answer, made of all answers of a call. */
interface All {
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
 * only to the recall: both go into the log (`said`), and the second request holds all four blocks (`whole`). The log
 * has `thought A` too, unless a history may hold it only once (`isOnce`): then the client's next request brings it.
 *
 * In a stream, a thought is held back until a later block is shown. `A` is sent with the first text, at places 0 and 1;
 * `B` is dropped when the answer ends in a recall. The second answer's head is dropped; its text is at place 2.
 */
export interface BlockWire extends Likeness {
  blocksOf(answer: Fields): readonly Fields[];
  isRecall(block: Fields): boolean;
  /** Whether the block is a call that the client runs. */
  isForClient(block: Fields, blocks: readonly Fields[]): boolean;
  /** Whether a history may hold a thought only once. If so, its recall is logged `untied` from it. */
  isOnce(thought: Fields): boolean;
  untied(recall: Fields): Fields;
  callOf(recall: Fields): RecallCall;
  /** Blocks as messages of a request. */
  messagesOf(blocks: readonly Fields[]): readonly unknown[];
  restored(messages: readonly unknown[], step: RecallStep, is: Likeness): Restored | undefined;
  /** Whether a limit or a filter ended the answer. */
  isCut(answer: Fields): boolean;
  /** The last answer, changed to represent all answers. */
  visible(last: Fields, all: All): Fields;
  /** A block of a whole answer, as the client gets it. */
  told?(block: Fields, answer: number): Fields;

  /** Reads an event of a stream; undefined for an event that is passed on at once. */
  read(event: Fields): Told | undefined;
  /** A block with an event's piece added. A block starts without fields. */
  grown(block: Fields, event: Fields): Fields;
  /** An event, as the client gets it. */
  shown(event: Fields, at?: Shown): Fields;
  /** The answer in the end events of a stream; undefined if it failed or broke off, so that no recall is read. */
  ended(ends: readonly Fields[]): Fields | undefined;
  /** The end events of the last stream, changed to represent all answers. */
  ending(ends: readonly Fields[], all: All): readonly Fields[];
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
      const ofLast = wire.blocksOf(last);
      return wire.visible(last, {
        usage: answers.map(({ usage }) => usage).reduce(summed),
        blocks: answers.flatMap((answer, at) =>
          shownOf(wire.blocksOf(answer), wire).map((block) => wire.told?.(block, at) ?? block),
        ),
        hasOthers: ofLast.some((block) => wire.isForClient(block, ofLast)),
      });
    },
    stream: () => new BlockStream(open()),
  };
}

/** The blocks of an answer that the client sees. If a recall is in it, a thought needs a visible block after it. */
function shownOf(blocks: readonly Fields[], { isThought, isRecall }: BlockWire): readonly Fields[] {
  if (!blocks.some(isRecall)) return blocks;
  const last = blocks.findLastIndex((block) => !isThought(block) && !isRecall(block));
  return blocks.slice(0, last + 1).filter((block) => !isRecall(block));
}

/** Keeps thoughts with the recall that they led to. The client sees the text; its next request adds it to the log. */
function stepOf(wire: BlockWire, blocks: readonly Fields[], isCut: boolean): RecallStep {
  const hasOthers = blocks.some((block) => wire.isForClient(block, blocks));
  if (!blocks.some(wire.isRecall)) return { ...NO_STEP, hasOthers };
  const shown = new Set(shownOf(blocks, wire));
  let isTied = false;
  const said: Fields[] = [];
  for (const block of blocks) {
    if (wire.isThought(block)) isTied = shown.has(block) && wire.isOnce(block);
    if (wire.isRecall(block)) said.push(isTied ? wire.untied(block) : block);
    else if (wire.isThought(block) && !isTied) said.push(block);
  }
  const calls = blocks.filter(wire.isRecall).map(wire.callOf);
  return { calls, said: wire.messagesOf(said), whole: wire.messagesOf(blocks), hasOthers, isCut };
}

interface Block {
  fields: Fields;
  /** Index in the client's stream; absent if the block is not shown. */
  place?: number;
}

/** The events of all answers of one call, without recalls and without the thoughts that led only to recalls. */
class BlockStream implements RecallStream {
  readonly #wire: BlockWire;
  readonly #heads = new Set<unknown>();
  readonly #shown: Block[] = [];
  /** `#usage` sums the earlier answers; `#used` is the newest report of the current answer, itself a sum. */
  #usage: unknown;
  #used: unknown;
  #ends: readonly Fields[] = [];
  /** Blocks of the current answer, and the newest block of each name. */
  #blocks: Block[] = [];
  #open = new Map<unknown, Block>();
  /** Events of thoughts, held until it is known if they led to a recall. */
  #held: { readonly block: Block; readonly event: Fields }[] = [];
  #answer = 0;
  #hasOthers = false;

  constructor(wire: BlockWire) {
    this.#wire = wire;
  }

  *take(event: Fields): Iterable<Fields> {
    const wire = this.#wire;
    const told = wire.read(event);
    if (!told) return yield wire.shown(event);
    if (isFields(told.usage)) this.#used = { ...(this.#used as object | undefined), ...told.usage };
    if (told.of === 'end') return void (this.#ends = [...this.#ends, event]);
    if (told.of === 'head') {
      if (!this.#heads.has(event.type)) yield wire.shown(event);
      return void this.#heads.add(event.type);
    }
    const block = this.#blockOf(told);
    block.fields = wire.grown(block.fields, event);
    if (wire.isRecall(block.fields)) return;
    if (wire.isThought(block.fields)) return void this.#held.push({ block, event });
    yield* this.#released();
    yield this.#placed(block, event);
  }

  endAnswer(): RecallStep {
    const wire = this.#wire;
    const answer = wire.ended(this.#ends);
    // End events that repeat the blocks are more reliable: some servers stream blocks incompletely or not at all.
    const all = answer ? wire.blocksOf(answer) : [];
    for (const fields of all) {
      const known = this.#blocks.find((block) => wire.isSame(block.fields, fields));
      if (known) known.fields = fields;
      else if (this.#blocks.length < all.length) this.#blocks.push({ fields });
    }
    const blocks = this.#blocks.map(({ fields }) => fields);
    const step = answer ? stepOf(wire, blocks, wire.isCut(answer)) : NO_STEP;
    if (step.calls.length > 0) this.#held = [];
    const shown = new Set(answer && shownOf(blocks, wire));
    for (const block of this.#blocks) if (shown.has(block.fields)) this.#place(block);
    this.#hasOthers = step.hasOthers;
    this.#usage = summed(this.#usage, this.#used);
    this.#used = undefined;
    this.#blocks = [];
    this.#open = new Map();
    this.#answer++;
    return step;
  }

  goOn(): void {
    this.#ends = [];
  }

  *finish(): Iterable<Fields> {
    yield* this.#released();
    const blocks = this.#shown.map(({ fields }) => fields);
    const all = { usage: this.#usage, blocks, hasOthers: this.#hasOthers };
    if (this.#ends.length === 0) return;
    for (const event of this.#wire.ending(this.#ends, all)) yield this.#wire.shown(event);
  }

  #blockOf({ block: name, begins = false }: Told): Block {
    const known = this.#open.get(name);
    if (known && !begins) return known;
    const block: Block = { fields: {} };
    this.#open.set(name, block);
    this.#blocks.push(block);
    return block;
  }

  /** Thoughts that led to something visible to the client. */
  #released(): readonly Fields[] {
    const held = this.#held;
    this.#held = [];
    return held.map(({ block, event }) => this.#placed(block, event));
  }

  /** An event at the client's own index; blocks that the client does not see have no index. */
  #placed(block: Block, event: Fields): Fields {
    return this.#wire.shown(event, { place: this.#place(block), answer: this.#answer });
  }

  #place(block: Block): number {
    return (block.place ??= this.#shown.push(block) - 1);
  }
}
