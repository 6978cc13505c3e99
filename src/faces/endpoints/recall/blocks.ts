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

/** What an event of a stream tells. */
export interface Told {
  /** Of an answer: its head, of which the client sees the first alone; its end; or a piece of one of its blocks. */
  readonly of: 'head' | 'end' | 'block';
  /** What the answer has used by now, as far as this event says it. */
  readonly usage?: unknown;
  /** Which block, by the provider's name; a further one of that name where it `begins`. */
  readonly block?: unknown;
  readonly begins?: boolean;
}

/** Where the client sees an event of a block. */
export interface Shown {
  /** Which block of the client's stream it is. */
  readonly place: number;
  /** Which answer of the call. */
  readonly answer: number;
}

/** What the client is given of all answers of a call. */
interface All {
  readonly usage: unknown;
  readonly blocks: readonly Fields[];
  /** Calls are left for the client to run. */
  readonly hasOthers: boolean;
}

/**
 * A wire whose answers are made of blocks: thoughts, words, calls. Of a call with one recall the provider gives two answers,
 *
 *     thought A, "Let me look.", thought B, recall      then      "The wall is 417 cm."
 *
 * and the client one: `thought A, "Let me look.", "The wall is 417 cm."`, with the usage of both. `thought B` led to the
 * recall alone: it goes into the log with it (`said`), and the second request holds all four blocks (`whole`). `thought A`
 * is in the log as well, unless the wire lets it be said only once (`isOnce`): it comes back with the client's words.
 *
 * Streamed, a thought is held until something behind it is shown. So `A` is given with the first words, at places 0 and 1;
 * `B` is let go when the answer has ended in a recall; the second answer's head is not shown, and its words take place 2.
 */
export interface BlockWire extends Likeness {
  blocksOf(answer: Fields): readonly Fields[];
  isRecall(block: Fields): boolean;
  /** Whether it is a call that the client runs. */
  isForClient(block: Fields, blocks: readonly Fields[]): boolean;
  /** Whether a thought may be said only once; a recall then stands without what asks for that thought. */
  isOnce(thought: Fields): boolean;
  untied(recall: Fields): Fields;
  callOf(recall: Fields): RecallCall;
  /** Blocks as a request has them. */
  messagesOf(blocks: readonly Fields[]): readonly unknown[];
  restored(messages: readonly unknown[], step: RecallStep, is: Likeness): Restored | undefined;
  /** Whether a limit or a filter ended an answer. */
  isCut(answer: Fields): boolean;
  /** The last answer as that of all. */
  visible(last: Fields, all: All): Fields;
  /** A block of a whole answer as the client is given it. */
  told?(block: Fields, answer: number): Fields;

  /** What an event of a stream tells; undefined: what the client sees as it is. */
  read(event: Fields): Told | undefined;
  /** A block with what an event adds to it; it begins with no fields. */
  grown(block: Fields, event: Fields): Fields;
  /** An event as the client is given it. */
  shown(event: Fields, at?: Shown): Fields;
  /** What the ends of a stream say of its answer; undefined where it failed or broke off, and asks for nothing. */
  ended(ends: readonly Fields[]): Fields | undefined;
  /** The ends of the last stream as those of all. */
  ending(ends: readonly Fields[], all: All): readonly Fields[];
}

/** How such a wire has recalls answered. `open`: for one call, whose answers may be told apart in what the client is given. */
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

/** What of an answer the client sees: thoughts only with what they led to, unless it recalled nothing. */
function shownOf(blocks: readonly Fields[], { isThought, isRecall }: BlockWire): readonly Fields[] {
  if (!blocks.some(isRecall)) return blocks;
  const last = blocks.findLastIndex((block) => !isThought(block) && !isRecall(block));
  return blocks.slice(0, last + 1).filter((block) => !isRecall(block));
}

/** Thoughts stay with the recall that they led to; the words are the client's to see, and come back in its own answer. */
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
  /** Place in the client's stream; absent where it is not shown. */
  place?: number;
}

/** The events of all answers of one call without their recalls, and without the thoughts that led to recalls alone. */
class BlockStream implements RecallStream {
  readonly #wire: BlockWire;
  readonly #heads = new Set<unknown>();
  readonly #shown: Block[] = [];
  /** Of the answers before; then of the answer under way, whose newest figures are sums of that answer already. */
  #usage: unknown;
  #used: unknown;
  #ends: readonly Fields[] = [];
  /** Blocks of the answer under way; the newest of each name. */
  #blocks: Block[] = [];
  #open = new Map<unknown, Block>();
  /** Events of thoughts, until it is known whether they led to a recall. */
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
    // An end that repeats its blocks knows them best: some servers tell them in no event, or not to their end.
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

  /** Thoughts that led to something the client sees. */
  #released(): readonly Fields[] {
    const held = this.#held;
    this.#held = [];
    return held.map(({ block, event }) => this.#placed(block, event));
  }

  /** At the client's own place: what it does not see takes none. */
  #placed(block: Block, event: Fields): Fields {
    return this.#wire.shown(event, { place: this.#place(block), answer: this.#answer });
  }

  #place(block: Block): number {
    return (block.place ??= this.#shown.push(block) - 1);
  }
}
