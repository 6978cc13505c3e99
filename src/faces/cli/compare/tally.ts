import { validators } from '../../../testkit/index.js';
import type { PriceOf } from '../../../tokens/index.js';
import type { Lane, LaneCall } from './lane.js';
import { heldBy, type Needed } from './probes.js';

/** One call under one policy. */
export interface ComparedCall {
  /** 0-based index of the assistant message that the call produced. */
  readonly index: number;
  readonly tokens: number;
  readonly pressure: number;
  readonly run: string;
  readonly unchangedPrefixTokens: number;
  readonly durationMs: number;
  /** Of the words that the next step used and had been said before, how many the request held; and how many there were. */
  readonly held: number;
  readonly needed: number;
  /** The same of the words that were last said half a window ago or longer. */
  readonly heldFromAfar: number;
  readonly neededFromAfar: number;
  /** Wire rules that the request breaks. */
  readonly broken: number;
  readonly error?: string;
  /** What the error said. */
  readonly why?: string;
}

/** What a policy came to on one session. */
export interface ComparedPolicy {
  readonly name: string;
  readonly budget: number;
  readonly calls: readonly ComparedCall[];
  readonly totals: {
    readonly calls: number;
    readonly compactions: number;
    /** Calls that could not fit, or whose policy failed. */
    readonly unreachable: number;
    /** Requests of more tokens than the budget. */
    readonly over: number;
    readonly sentTokens: number;
    readonly meanTokens: number;
    readonly highestPressure: number;
    /** Tokens behind the unchanged front of each request: what a provider's cache could not serve. */
    readonly rewrittenTokens: number;
    /** Share of the words that the agent's next steps used which their requests held. */
    readonly kept: number;
    /** The same of words that were last said half a budget ago or longer; null where none was needed. */
    readonly keptFromAfar: number | null;
    readonly broken: number;
    readonly summaryCalls: number;
    /** US dollars of input at list prices, cached front included, and of summaries; null where a price is not known. */
    readonly cost: number | null;
  };
}

export interface TallyParts {
  readonly lane: Lane;
  readonly priceOf: PriceOf;
  /** Model that is talked to; null where none was named, and then nothing has a price. */
  readonly model: string | null;
  /** What requests are held to, where a policy is given less than that; absent: its budget. */
  readonly window?: number;
}

/** A word is from afar where it was last said this share of the window ago. */
const AFAR = 0.5;
const NONE: ReadonlySet<number> = new Set();

/** Adds up the calls of one policy as they are replayed. */
export class Tally {
  readonly #lane: Lane;
  readonly #priceOf: PriceOf;
  readonly #model: string | null;
  readonly #window: number | undefined;
  readonly #calls: ComparedCall[] = [];
  #cost: number | null = 0;

  constructor({ lane, priceOf, model, window }: TallyParts) {
    this.#lane = lane;
    this.#priceOf = priceOf;
    this.#model = model;
    this.#window = window;
  }

  get name(): string {
    return this.#lane.name;
  }

  add(call: LaneCall, needed: Needed): void {
    const { prepared, index, tokens, pressure, run, unchangedPrefixTokens, durationMs, error } = call;
    const held = prepared ? heldBy([...prepared.messages, prepared.beside], needed) : NONE;
    const window = this.#window ?? this.#lane.sums().budget;
    const afar = [...needed].filter(([, ago]) => ago >= AFAR * window).map(([hash]) => hash);
    this.#calls.push({
      index,
      tokens,
      pressure,
      run,
      unchangedPrefixTokens,
      durationMs,
      held: held.size,
      needed: needed.size,
      heldFromAfar: afar.filter((hash) => held.has(hash)).length,
      neededFromAfar: afar.length,
      broken: prepared ? validators.get(this.#lane.format)!(prepared.messages).length : 0,
      ...(error && { error: error.code, why: error.message }),
    });
    if (!error) this.#pay(tokens, unchangedPrefixTokens);
  }

  get done(): ComparedPolicy {
    const { budget, compactions, compactor } = this.#lane.sums();
    const sent = this.#calls.filter(({ error }) => error === undefined);
    const sum = (pick: (call: ComparedCall) => number, calls = sent): number =>
      calls.reduce((total, call) => total + pick(call), 0);
    const needed = sum((call) => call.needed, this.#calls);
    const neededFromAfar = sum((call) => call.neededFromAfar, this.#calls);
    const sentTokens = sum((call) => call.tokens);
    return {
      name: this.#lane.name,
      budget,
      calls: this.#calls,
      totals: {
        calls: this.#calls.length,
        compactions,
        unreachable: this.#calls.length - sent.length,
        sentTokens,
        meanTokens: sent.length > 0 ? sentTokens / sent.length : 0,
        highestPressure: Math.max(0, ...sent.map(({ pressure }) => pressure)),
        rewrittenTokens: sum((call) => call.tokens - call.unchangedPrefixTokens),
        over: sent.filter(({ tokens }) => tokens > (this.#window ?? budget)).length,
        keptFromAfar: neededFromAfar > 0 ? sum((call) => call.heldFromAfar) / neededFromAfar : null,
        kept: needed > 0 ? sum((call) => call.held) / needed : 1,
        broken: sum((call) => call.broken),
        summaryCalls: compactor.calls,
        cost: this.#cost === null || compactor.unpriced > 0 ? null : this.#cost + compactor.cost,
      },
    };
  }

  #pay(tokens: number, cacheReadTokens: number): void {
    const usage = {
      inputTokens: tokens - cacheReadTokens,
      cacheReadTokens,
      cacheWriteTokens: 0,
      outputTokens: 0,
    };
    const price = this.#model === null ? null : this.#priceOf(this.#model, usage);
    this.#cost = this.#cost === null || price === null ? null : this.#cost + price;
  }
}
