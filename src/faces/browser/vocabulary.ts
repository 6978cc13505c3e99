/** The vocabularies of tokenizers where there is no Node: fetched once, from beside this module. */
import { SpillwayError } from '../../errors/index.js';
import { ODD_TOKENS } from './odd-tokens.js';

type Encoding = 'o200k_base' | 'cl100k_base';
type Vocabulary = readonly (string | readonly number[])[];

/** Where each lies, written out so that bundlers find it, and take it along. */
const FILES: Readonly<Record<Encoding, () => URL>> = {
  o200k_base: () => new URL('../../vocabulary/o200k_base.deflated', import.meta.url),
  cl100k_base: () => new URL('../../vocabulary/cl100k_base.deflated', import.meta.url),
};
const SEPARATOR = '\u0001';

const loaded = new Map<Encoding, Vocabulary>();

const inflate = (): DecompressionStream => new DecompressionStream('deflate-raw');

/** Rejects with `INPUT_UNREADABLE` where it does not lie there. */
export async function readyVocabulary(encoding: Encoding): Promise<void> {
  if (loaded.has(encoding)) return;
  const url = FILES[encoding]();
  // Servers of apps give their page for what they do not have.
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

/** One that was fetched. */
export const loadVocabulary = (encoding: Encoding): Vocabulary => loaded.get(encoding)!;
