// A tokenizer's vocabulary is a script of 2 MB with 200,000 literals, which V8 parses in 110 ms. Lines of a text file,
// split when the first text is counted, take 35 ms; UTF-8 would take 15 ms more to decode. Deflating the file shrinks
// it to a third and costs 10 ms more.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { dist } from './options.mjs';

const ENCODINGS = ['o200k_base', 'cl100k_base'];
const FOLDER = 'vocabulary';
const SEPARATOR = '\u0001';

/** Entries that are bytes or hold the separator. They are kept in the code. */
const oddOnes = {};

/** Writes dist/vocabulary, and checks that each file reads back as its source. */
export async function writeVocabularies() {
  rmSync(join(dist, FOLDER), { recursive: true, force: true });
  mkdirSync(join(dist, FOLDER), { recursive: true });
  for (const encoding of ENCODINGS) {
    const { default: ranks } = await import(`gpt-tokenizer/bpeRanks/${encoding}`);
    const isPlain = (entry) => typeof entry === 'string' && !entry.includes(SEPARATOR);
    const text = ranks.map((entry) => (isPlain(entry) ? entry : '')).join(SEPARATOR);
    const odd = ranks.flatMap((entry, rank) => (isPlain(entry) ? [] : [[rank, entry]]));
    const again = text.split(SEPARATOR);
    for (const [rank, entry] of odd) again[rank] = entry;
    if (!isDeepStrictEqual(again, ranks)) throw new Error(`${encoding} does not survive as plain text.`);
    writeFileSync(
      join(dist, FOLDER, `${encoding}.deflated`),
      deflateRawSync(Buffer.from(text, 'utf16le'), { level: 9 }),
    );
    oddOnes[encoding] = odd;
  }
  writeFileSync(join(dist, FOLDER, 'index.js'), reader().trimStart());
}

/** Replaces src/tokens/vocabulary.ts by a reader of these files; browsers use src/faces/browser/vocabulary.ts. */
export const fromFiles = {
  name: 'vocabulary-from-files',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]tokens[\\/]vocabulary\.ts$/ }, () => ({
      contents: `export { loadVocabulary, readyVocabulary } from '#vocabulary';`,
    }));
    onLoad({ filter: /[\\/]faces[\\/]browser[\\/]odd-tokens\.ts$/ }, () => ({
      contents: `export const ODD_TOKENS = ${JSON.stringify(oddOnes)};`,
    }));
  },
};

const reader = () => `
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
const odd = ${JSON.stringify(oddOnes)};
export const readyVocabulary = () => Promise.resolve();
export function loadVocabulary(encoding) {
  const file = new URL(encoding + '.deflated', import.meta.url);
  const ranks = inflateRawSync(readFileSync(file)).toString('utf16le').split(${JSON.stringify(SEPARATOR)});
  for (const [rank, entry] of odd[encoding]) ranks[rank] = entry;
  return ranks;
}
`;
