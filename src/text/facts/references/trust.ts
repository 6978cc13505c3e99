import type { LogFold, LogMessage, Origin } from '../../../transcript/index.js';

/** From the most trusted to the least: the output of a tool may have any author. */
const ORDER: readonly Origin[] = ['system', 'user', 'model', 'synthetic', 'tool'];

/**
 * The least trusted origin in a span of the log. Always taken from the originals, so that a text derived from another
 * text gains no trust.
 */
export class TrustIndex implements LogFold {
  /** By log position: the author's place in `ORDER`. */
  readonly #ranks: number[] = [];

  read(message: LogMessage): void {
    this.#ranks[message.seq] = ORDER.indexOf(trustOf(message));
  }

  /** Log positions, inclusive. */
  lowest(from: number, to: number): Origin {
    const rank = this.#ranks.slice(from, to + 1).reduce((least, one) => Math.max(least, one), 0);
    return ORDER[rank]!;
  }
}

/** Some formats send tool results in a user message. */
export function trustOf({ origin, role, parts }: LogMessage): Origin {
  return role === 'tool' || parts.some(({ type }) => type === 'tool-result') ? 'tool' : origin;
}
