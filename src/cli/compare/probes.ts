import { scanWords } from '../../facts/index.js';
import { textOf, type Message } from '../../transcript/index.js';

/**
 * What the agent needed, read off its own next step: names, paths, numbers that it wrote there and that had been said
 * before. A context that holds them let it take that step.
 */
export class Probes {
  readonly #said = new Set<number>();

  /** Of the step that follows what was added so far. */
  of(next: Message): ReadonlySet<number> {
    const needed = new Set<number>();
    visit(wordsOf(next), (hash) => {
      if (this.#said.has(hash)) needed.add(hash);
    });
    return needed;
  }

  add(message: Message): void {
    visit(wordsOf(message), (hash) => this.#said.add(hash));
  }
}

/** How many of the words a request holds, however it is written. */
export function heldBy(request: readonly unknown[], needed: ReadonlySet<number>): number {
  if (needed.size === 0) return 0;
  const held = new Set<number>();
  for (const message of request) {
    visit(JSON.stringify(message).replaceAll('\\n', '\n').replaceAll('\\"', '"'), (hash) => {
      if (needed.has(hash)) held.add(hash);
    });
    if (held.size === needed.size) break;
  }
  return held.size;
}

const visit = (text: string, take: (hash: number) => void): void => scanWords(text, (hash) => take(hash));

function wordsOf({ parts }: Message): string {
  return parts
    .map((part) => (part.type === 'tool-call' ? `${part.name} ${part.arguments}` : textOf(part)))
    .join('\n')
    .replaceAll('\\n', '\n')
    .replaceAll('\\"', '"');
}
