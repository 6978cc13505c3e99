import type { LogFold, LogMessage, Origin } from '../../../transcript/index.js';

/** From the most trusted to the least: anyone may have written what a tool returns. */
const ORDER: readonly Origin[] = ['system', 'user', 'model', 'synthetic', 'tool'];

/**
 * Who is the least trusted of those who wrote a span of the log. Always read off the originals, so that no text made
 * from a text gains trust.
 */
export class TrustIndex implements LogFold {
  /** By position in the log: the place in `ORDER` of who wrote it. */
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

/** Some formats carry results of tools in a message of the user. */
export function trustOf({ origin, role, parts }: LogMessage): Origin {
  return role === 'tool' || parts.some(({ type }) => type === 'tool-result') ? 'tool' : origin;
}
