/** The vocabularies of tokenizers without Node: fetched once, from next to this module. */
import { SpillwayError } from '../../errors/index.js';
import { ODD_TOKENS } from './odd-tokens.js';

type Encoding = 'o200k_base' | 'cl100k_base';
type Vocabulary = readonly (string | readonly number[])[];

/** Addresses of the vocabularies, written literally so that bundlers find and include the files. */
const FILES: Readonly<Record<Encoding, () => URL>> = {
  o200k_base: () => new URL('../../vocabulary/o200k_base.deflated', import.meta.url),
  cl100k_base: () => new URL('../../vocabulary/cl100k_base.deflated', import.meta.url),
};
const SEPARATOR = '\u0001';

const loaded = new Map<Encoding, Vocabulary>();

const inflate = (): DecompressionStream => new DecompressionStream('deflate-raw');

/** Rejects with `INPUT_UNREADABLE` if the vocabulary is not at its address. */
export async function readyVocabulary(encoding: Encoding): Promise<void> {
  if (loaded.has(encoding)) return;
  const url = FILES[encoding]();
  // Servers of single-page apps answer with their page for missing files; inflating that page fails.
  const bytes = await fetch(url)
    .then(({ ok, body }) =>
      ok && body ? new Response(body.pipeThrough(inflate())).arrayBuffer() : undefined,
    )
    .catch(() => undefined);
  if (!bytes)
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: `vocabulary ${encoding}`,
      found: `nothing at ${url.href}`,
      remedy: "Let the bundler copy the package's dist/vocabulary, or set counter: heuristic.",
    });
  const ranks: (string | readonly number[])[] = new TextDecoder('utf-16le').decode(bytes).split(SEPARATOR);
  for (const [rank, entry] of ODD_TOKENS[encoding] ?? []) ranks[rank] = entry;
  loaded.set(encoding, ranks);
}

/** The vocabulary of an encoding that was fetched. */
export const loadVocabulary = (encoding: Encoding): Vocabulary => loaded.get(encoding)!;
