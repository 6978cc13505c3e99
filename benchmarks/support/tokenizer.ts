import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { textOf, type Message } from '../../src/transcript/index.js';

const PLAIN = { disallowedSpecial: new Set<string>() };

/** Merges that the library caches by default. Our own counter turns this cache off. */
const AS_INSTALLED = 100_000;

/** Every text of the messages that a counter would receive. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.name, part.arguments] : [textOf(part)])),
  );
}

/** CPU time of this process in milliseconds, without that of other processes. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function cpuMs(work: () => void): number {
  const before = cpuNow();
  work();
  return cpuNow() - before;
}

/**
 * One pass of gpt-tokenizer, as installed, over texts that are new to it (`firstMs`), and a second pass over the same
 * texts (`againMs`), which its cache of merges makes up to twice as fast. Leaves the cache off, for our counter.
 */
export function tokenizerPass(
  texts: readonly string[],
  clock: () => number = cpuNow,
): { firstMs: number; againMs: number } {
  const pass = (): number => {
    const before = clock();
    for (const text of texts) countTokens(text, PLAIN);
    return clock() - before;
  };
  setMergeCacheSize(0);
  setMergeCacheSize(AS_INSTALLED);
  try {
    return { firstMs: pass(), againMs: pass() };
  } finally {
    setMergeCacheSize(0);
  }
}
