import type { Notice } from '../../spi/index.js';
import type { LineImporter } from '../importer.js';
import { hasMessageLine } from './any-lines.js';

/** How much of a line is looked at: marks stand at its front. */
const LOOK = 2_000;

/** Lines of another agent's recording in a file: what the importer makes of them is its own, but it is said. */
export class ForeignLines {
  readonly #own: LineImporter | undefined;
  readonly #others: readonly LineImporter[];
  readonly #found = new Map<string, { count: number; first: number }>();

  constructor(own: LineImporter | undefined, all: readonly LineImporter[]) {
    this.#own = own;
    this.#others = all.filter((importer) => importer !== own);
  }

  see(text: string, line: number): void {
    const head = text.slice(0, LOOK);
    if (this.#own?.recognises(head)) return;
    const other = this.#others.find((importer) => importer.recognises(head))?.name ?? this.#messageOf(head);
    if (other === undefined) return;
    const seen = this.#found.get(other);
    if (seen) seen.count += 1;
    else this.#found.set(other, { count: 1, first: line });
  }

  #messageOf(head: string): string | undefined {
    return this.#own && !this.#own.ofChat && hasMessageLine(head) ? 'chat messages' : undefined;
  }

  notices(taken: string): Notice[] {
    return [...this.#found].map(([name, { count, first }]): Notice => {
      const what = `${count} lines from line ${first} on look like ${name}; the file is read as ${taken}, and what that has no place for is left out`;
      return { at: 'file', kind: 'mixed-formats', what };
    });
  }
}
