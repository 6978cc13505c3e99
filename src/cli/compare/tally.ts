import type { ReplayedCall, Session } from '../../index.js';
import { validators } from '../../testkit/index.js';
import type { PriceOf } from '../../tokens/index.js';
import { heldBy } from './probes.js';

/** One call under one policy. */
export interface ComparedCall {
  /** 0-based index of the assistant message that the call produced. */
  readonly index: number;
  readonly tokens: number;
  readonly pressure: number;
  readonly run: string;
  readonly unchangedPrefixTokens: number;
  /** Of the words that the next step used and had been said before, how many the request held; and how many there were. */
  readonly held: number;
  readonly needed: number;
  /** Wire rules that the request breaks. */
  readonly broken: number;
  readonly error?: string;
}

/** What a policy came to on one session. */
export interface ComparedPolicy {
  readonly name: string;
  readonly budget: number;
  readonly calls: readonly ComparedCall[];
  readonly totals: {
    readonly calls: number;
    readonly compactions: number;
    /** Calls that could not fit. */
    readonly unreachable: number;
    readonly sentTokens: number;
    readonly meanTokens: number;
    readonly highestPressure: number;
    /** Tokens behind the unchanged front of each request: what a provider's cache could not serve. */
    readonly rewrittenTokens: number;
    /** Share of the words that the agent's next steps used which their requests held. */
    readonly kept: number;
    readonly broken: number;
    readonly summaryCalls: number;
    /** US dollars of input at list prices, cached front included, and of summaries; null where a price is not known. */
    readonly cost: number | null;
  };
}

export interface TallyParts {
  readonly name: string;
  readonly session: Session;
  /** Wire format of the requests. */
  readonly format: string;
  readonly priceOf: PriceOf;
  /** Model that is talked to; null where none was named, and then nothing has a price. */
  readonly model: string | null;
}

/** Adds up the calls of one policy as they are replayed. */
export class Tally {
  readonly #name: string;
  readonly #session: Session;
  readonly #format: string;
  readonly #priceOf: PriceOf;
  readonly #model: string | null;
  readonly #calls: ComparedCall[] = [];
  #cost: number | null = 0;

  constructor({ name, session, format, priceOf, model }: TallyParts) {
    this.#name = name;
    this.#session = session;
    this.#format = format;
    this.#priceOf = priceOf;
    this.#model = model;
  }

  get name(): string {
    return this.#name;
  }

  add(call: ReplayedCall, needed: ReadonlySet<number>): void {
    const { prepared, index, tokens, pressure, run, unchangedPrefixTokens, error } = call;
    this.#calls.push({
      index,
      tokens,
      pressure,
      run,
      unchangedPrefixTokens,
      held: prepared ? heldBy([...prepared.messages, prepared.beside], needed) : 0,
      needed: needed.size,
      broken: prepared ? validators.get(this.#format)!(prepared.messages).length : 0,
      ...(error && { error: error.code }),
    });
    if (!error) this.#pay(tokens, unchangedPrefixTokens);
  }

  get done(): ComparedPolicy {
    const session = this.#session;
    const sent = this.#calls.filter(({ error }) => error === undefined);
    const sum = (pick: (call: ComparedCall) => number, calls = sent): number =>
      calls.reduce((total, call) => total + pick(call), 0);
    const { compactor } = session.operator.costs;
    const needed = sum((call) => call.needed, this.#calls);
    const sentTokens = sum((call) => call.tokens);
    return {
      name: this.#name,
      budget: session.reading.budget.tokens,
      calls: this.#calls,
      totals: {
        calls: this.#calls.length,
        compactions: session.operator.history.length,
        unreachable: this.#calls.length - sent.length,
        sentTokens,
        meanTokens: sent.length > 0 ? sentTokens / sent.length : 0,
        highestPressure: Math.max(0, ...sent.map(({ pressure }) => pressure)),
        rewrittenTokens: sum((call) => call.tokens - call.unchangedPrefixTokens),
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
