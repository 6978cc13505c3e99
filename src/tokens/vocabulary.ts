import { createRequire } from 'node:module';
import type { Encoding } from './exact.js';

/** Rank -> token, as text, or as bytes where it is none. */
type Vocabulary = readonly (string | readonly number[])[];

const require = createRequire(import.meta.url);

/** Before a counter is made: where there is no disk, a vocabulary is fetched by now. */
export const readyVocabulary: (encoding: Encoding) => Promise<void> = () => Promise.resolve();

/**
 * Loads the 200,000 tokens of an encoding, synchronously: a counter is asked for its first count in the middle of
 * other work. The build puts a module in this one's place that reads a text file (scripts/build/vocabulary.mjs).
 */
export function loadVocabulary(encoding: Encoding): Vocabulary {
  return (require(`gpt-tokenizer/bpeRanks/${encoding}`) as { readonly default: Vocabulary }).default;
}
