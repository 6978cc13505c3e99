// A tokenizer's vocabulary is 200,000 literals in a script of 2 MB, which V8 takes 110 ms to parse. As lines of a text
// file, split when the first text is counted, it takes 35 ms; UTF-8 would take 15 ms more to decode.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { basename, join } from 'node:path';
import { dist, root } from './options.mjs';

const ENCODINGS = ['o200k_base', 'cl100k_base'];
const FOLDER = 'vocabulary';
const SEPARATOR = '\u0001';

/** Entries that are bytes, or that hold the separator: they stand in the code. */
const oddOnes = {};

/** Writes dist/vocabulary, and checks that each file reads back as what it was made from. */
export async function writeVocabularies() {
  mkdirSync(join(dist, FOLDER), { recursive: true });
  for (const encoding of ENCODINGS) {
    const { default: ranks } = await import(`gpt-tokenizer/bpeRanks/${encoding}`);
    const isPlain = (entry) => typeof entry === 'string' && !entry.includes(SEPARATOR);
    const text = ranks.map((entry) => (isPlain(entry) ? entry : '')).join(SEPARATOR);
    const odd = ranks.flatMap((entry, rank) => (isPlain(entry) ? [] : [[rank, entry]]));
    const again = text.split(SEPARATOR);
    for (const [rank, entry] of odd) again[rank] = entry;
    if (!isDeepStrictEqual(again, ranks)) throw new Error(`${encoding} does not survive as plain text.`);
    writeFileSync(join(dist, FOLDER, `${encoding}.txt`), text, 'utf16le');
    oddOnes[encoding] = odd;
  }
}

/** Puts a module that reads these files in the place of src/tokens/vocabulary.ts. `here`: an expression for its URL. */
export const fromTextFile = (here) => ({
  name: 'vocabulary-from-text-file',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]tokens[\\/]vocabulary\.ts$/ }, ({ path }) => ({
      resolveDir: join(root, 'src', 'tokens'),
      contents: `// ${basename(path)}
        import { readFileSync } from 'node:fs';
        const odd = ${JSON.stringify(oddOnes)};
        export function loadVocabulary(encoding) {
          const file = new URL('../${FOLDER}/' + encoding + '.txt', ${here});
          const ranks = readFileSync(file, 'utf16le').split(${JSON.stringify(SEPARATOR)});
          for (const [rank, entry] of odd[encoding]) ranks[rank] = entry;
          return ranks;
        }`,
    }));
  },
});
