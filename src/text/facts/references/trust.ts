import type { LogFold, LogMessage, Origin } from '../../../transcript/index.js';

/** From the most trusted to the least: anyone may have written what a tool returns. */
const ORDER: readonly Origin[] = ['system', 'user', 'model', 'synthetic', 'tool'];

/**
 * Who is the least trusted of those who wrote a span of the log. Always read off the originals, so that no text made
 * from a text gains trust. Answers in the logarithm of the log's length.
 */
export class TrustIndex implements LogFold {
  /** By origin: positions of its messages, rising. */
  readonly #positions = new Map<Origin, number[]>(ORDER.map((origin) => [origin, []]));

  read(message: LogMessage): void {
    this.#positions.get(trustOf(message))!.push(message.seq);
  }

  /** Log positions, inclusive. */
  lowest(from: number, to: number): Origin {
    for (let i = ORDER.length - 1; i > 0; i--) {
      const positions = this.#positions.get(ORDER[i]!)!;
      const at = firstFrom(positions, from);
      if (at !== undefined && at <= to) return ORDER[i]!;
    }
    return ORDER[0]!;
  }
}

/** Some formats carry results of tools in a message of the user. */
export function trustOf({ origin, role, parts }: LogMessage): Origin {
  return role === 'tool' || parts.some(({ type }) => type === 'tool-result') ? 'tool' : origin;
}

function firstFrom(positions: readonly number[], from: number): number | undefined {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return positions[low];
}
