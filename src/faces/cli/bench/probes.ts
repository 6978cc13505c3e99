import { scanWords } from '../../../text/facts/index.js';
import { textOf, type Message } from '../../../transcript/index.js';

/** Of each word that a step needed, how long ago it was last said: in tokens, about. */
export type Needed = ReadonlyMap<string, number>;

/** Enough to tell yesterday from now. */
const CHARS_PER_TOKEN = 4;

/**
 * What the agent needed, read off its own next step: names, paths, numbers that it wrote there and that had been said
 * before. A context that holds them let it take that step.
 */
export class Probes {
  /** Where each was last said, in characters from the beginning. */
  readonly #said = new Map<string, number>();
  #chars = 0;

  /** Of the step that follows what was added so far. */
  of(next: Message): Needed {
    const needed = new Map<string, number>();
    scanWords(wordsOf(next), (word) => {
      const at = this.#said.get(word);
      if (at !== undefined) needed.set(word, (this.#chars - at) / CHARS_PER_TOKEN);
    });
    return needed;
  }

  add(message: Message): void {
    const words = wordsOf(message);
    this.#chars += words.length;
    scanWords(words, (word) => this.#said.set(word, this.#chars));
  }
}

/** Those of the words that a request holds, however it is written. */
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
