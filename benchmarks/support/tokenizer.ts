import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { textOf, type Message } from '../../src/transcript/index.js';

const PLAIN = { disallowedSpecial: new Set<string>() };

/** Merges that the library remembers where nobody says otherwise. Our own counter turns its memory off. */
const AS_INSTALLED = 100_000;

/** Every text of a message that a counter would be given. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.name, part.arguments] : [textOf(part)])),
  );
}

/** CPU time that this process has taken, in milliseconds: what else the machine does is not in it. */
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
 * One pass of gpt-tokenizer, as it is installed, over texts it has never met (`firstMs`), and a second one over the same
 * (`againMs`): its memory of merges makes that up to twice as fast. Leaves the memory off, as our counter wants it.
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
