import { createRequire } from 'node:module';
import type { Encoding } from './exact.js';

/** Rank -> token, as text, or as bytes if the token is no text. */
type Vocabulary = readonly (string | readonly number[])[];

const require = createRequire(import.meta.url);

/** Called before a counter is made: without a disk, this function fetches the vocabulary. */
export const readyVocabulary: (encoding: Encoding) => Promise<void> = () => Promise.resolve();

/**
 * Loads the 200,000 tokens of an encoding, synchronously, because a counter's first count happens during other work.
 * The build replaces this module by one that reads a text file (scripts/build/vocabulary.mjs).
 */
export function loadVocabulary(encoding: Encoding): Vocabulary {
  return (require(`gpt-tokenizer/bpeRanks/${encoding}`) as { readonly default: Vocabulary }).default;
}
