import { scanWords } from '../../../text/facts/index.js';
import { textOf, type Message } from '../../../transcript/index.js';

/** The words that a step needed, with the distance to their last occurrence in approximate tokens. */
export type Needed = ReadonlyMap<string, number>;

/** Precise enough to tell old words from recent ones. */
const CHARS_PER_TOKEN = 4;

/**
 * The words that the agent needed, taken from its next step: names, paths and numbers in the step that occurred before.
 * A context with these words made the step possible.
 */
export class Probes {
  /** Position of each word's last occurrence, in characters from the beginning. */
  readonly #lastAt = new Map<string, number>();
  #chars = 0;

  /** The words that the step needed, from the messages added so far. */
  neededBy(next: Message): Needed {
    const needed = new Map<string, number>();
    scanWords(wordsOf(next), (word) => {
      const at = this.#lastAt.get(word);
      if (at !== undefined) needed.set(word, (this.#chars - at) / CHARS_PER_TOKEN);
    });
    return needed;
  }

  add(message: Message): void {
    const words = wordsOf(message);
    this.#chars += words.length;
    scanWords(words, (word) => this.#lastAt.set(word, this.#chars));
  }
}

/** The needed words that a request contains, in any wire format. */
export function heldBy(request: readonly unknown[], needed: Needed): ReadonlySet<string> {
  const held = new Set<string>();
  if (needed.size === 0) return held;
  for (const message of request) {
    scanWords(JSON.stringify(message).replaceAll('\\n', '\n').replaceAll('\\"', '"'), (word) => {
      if (needed.has(word)) held.add(word);
    });
    if (held.size === needed.size) break;
  }
  return held;
}

function wordsOf({ parts }: Message): string {
  return parts
    .map((part) => (part.type === 'tool-call' ? `${part.name} ${part.arguments}` : textOf(part)))
    .join('\n')
    .replaceAll('\\n', '\n')
    .replaceAll('\\"', '"');
}
