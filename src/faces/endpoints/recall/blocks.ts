import { isFields, type Fields } from '../../../formats/index.js';
import { summed, type RecallStep, type RecallStream } from './wire.js';

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

/** A wire that tells its answers block by block: thoughts, words, calls. */
export interface BlockWire {
  /** Undefined: what the client sees as it is. */
  read(event: Fields): Told | undefined;
  /** A block with what an event adds to it; it begins with no fields. */
  grown(block: Fields, event: Fields): Fields;
  isThought(block: Fields): boolean;
  isRecall(block: Fields): boolean;
  /** What an answer comes to. One without its ends broke off, and asks for nothing. */
  step(blocks: readonly Fields[], ends: readonly Fields[]): RecallStep;
  /** An event as the client is given it. */
  shown(event: Fields, at?: Shown): Fields;
  /** The ends of the last answer as those of all of them. */
  ending(ends: readonly Fields[], all: Ending): readonly Fields[];
}

/** What the client has seen when its stream ends. */
interface Ending {
  readonly usage: unknown;
  readonly blocks: readonly Fields[];
  /** It has calls of its own to answer. */
  readonly hasOthers: boolean;
}

interface Block {
  fields: Fields;
  /** Place in the client's stream; absent where it is not shown. */
  place?: number;
}

/** The events of all answers of one call without their recalls, and without the thoughts that led to recalls alone. */
export class BlockStream implements RecallStream {
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
  #held: readonly { readonly block: Block; readonly event: Fields }[] = [];
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
    if (wire.isThought(block.fields)) return void (this.#held = [...this.#held, { block, event }]);
    yield* this.#released();
    yield this.#placed(block, event);
  }

  endAnswer(): RecallStep {
    const step = this.#wire.step(
      this.#blocks.map(({ fields }) => fields),
      this.#ends,
    );
    if (step.calls.length > 0) this.#held = [];
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
    const all = {
      usage: this.#usage,
      blocks: this.#shown.map(({ fields }) => fields),
      hasOthers: this.#hasOthers,
    };
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
    block.place ??= this.#shown.push(block) - 1;
    return this.#wire.shown(event, { place: block.place, answer: this.#answer });
  }
}
