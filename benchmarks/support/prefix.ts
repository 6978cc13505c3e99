import { referenceCount } from './reference-count.js';

/** The requests of one policy in one session, and what a prefix cache keeps of them. In reference tokens. */
export interface PrefixTally {
  /** Requests after the first. */
  requests: number;
  sentTokens: number;
  /** Tokens that a cache must read anew: the first request, and the part of each request after the prefix it shares. */
  freshTokens: number;
  /** Tokens of all requests that were followed by another. */
  standingTokens: number;
  /** Standing tokens that the next request no longer had unchanged at its front. */
  changedTokens: number;
  /** Standing tokens that the next request did not have at all: no order of messages could have kept them. */
  leftTokens: number;
  /** Requests that should extend the last one, because nothing was committed, and requests that did. */
  between: number;
  extended: number;
}

export const newTally = (): PrefixTally => ({
  requests: 0,
  sentTokens: 0,
  freshTokens: 0,
  standingTokens: 0,
  changedTokens: 0,
  leftTokens: 0,
  between: 0,
  extended: 0,
});

/** Adds each figure of `more` to the one of its name. */
export function addTally<Tally extends Record<keyof Tally, number>>(sum: Tally, more: Tally): void {
  for (const key of Object.keys(sum) as (keyof Tally)[]) (sum[key] as number) += more[key];
}

/** The part of one request that a prefix cache has, and the rest, in reference tokens. */
export interface Billed {
  readonly cached: number;
  readonly fresh: number;
}

/** Compares each request with the one before, message by message, in serialised form. */
export class Prefixes {
  readonly tally = newTally();
  #last: readonly string[] = [];
  #tokens: readonly number[] = [];

  /** `committed`: a compaction rewrote this request. Other requests may only extend the last one. */
  next(messages: readonly unknown[], committed: boolean): Billed {
    const { tally } = this;
    const keys = messages.map(bytesOf);
    const tokens = messages.map((message) => referenceCount([message]));
    let same = 0;
    while (same < this.#last.length && this.#last[same] === keys[same]) same++;
    const sent = sum(tokens);
    const cached = sum(tokens.slice(0, same));
    if (this.#last.length > 0) {
      tally.requests++;
      const standing = sum(this.#tokens);
      tally.standingTokens += standing;
      tally.changedTokens += standing - cached;
      tally.leftTokens += this.#leftOf(keys);
      if (!committed) {
        tally.between++;
        if (same === this.#last.length) tally.extended++;
      }
    }
    tally.sentTokens += sent;
    tally.freshTokens += sent - cached;
    this.#last = keys;
    this.#tokens = tokens;
    return { cached, fresh: sent - cached };
  }

  #leftOf(keys: readonly string[]): number {
    const left = new Map<string, number>();
    for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1);
    let tokens = 0;
    for (const [index, key] of this.#last.entries()) {
      const copies = left.get(key) ?? 0;
      if (copies === 0) tokens += this.#tokens[index]!;
      else left.set(key, copies - 1);
    }
    return tokens;
  }
}

/** The share of standing tokens that were unchanged at the front of the next request; 1 if there are none. */
export const unchangedShare = ({ standingTokens, changedTokens }: PrefixTally): number =>
  standingTokens === 0 ? 1 : 1 - changedTokens / standingTokens;

const known = new WeakMap<object, string>();

function bytesOf(message: unknown): string {
  const key = message as object;
  let bytes = known.get(key);
  if (bytes === undefined) known.set(key, (bytes = JSON.stringify(message)));
  return bytes;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
