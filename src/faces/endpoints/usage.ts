import type { WireFormat } from '../../spi/index.js';
import type { Usage } from '../../tokens/index.js';
import { countIn, type Fields } from '../../formats/index.js';

/** The first positive number among these fields. */
export function firstCount(fields: unknown, ...names: readonly string[]): number | undefined {
  return names.map((name) => countIn(fields, name)).find((count) => count > 0);
}

/** The usage that an answer reports, read by the format's provider. */
export function usageIn({ provider }: WireFormat, answer: unknown): Usage | undefined {
  return provider?.usageOf?.(answer);
}

/** Drops empty fields: later events of a stream repeat fields as null if they have nothing new. */
export const filled = (usage: Fields): Fields =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
