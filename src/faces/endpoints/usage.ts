import type { WireFormat } from '../../spi/index.js';
import type { Usage } from '../../tokens/index.js';
import { countIn, type Fields } from '../../formats/index.js';

/** The first of these fields that is a positive number. */
export function firstCount(fields: unknown, ...names: readonly string[]): number | undefined {
  return names.map((name) => countIn(fields, name)).find((count) => count > 0);
}

/** What an answer says was used, in the words of the format's providers. */
export function usageIn({ provider }: WireFormat, answer: unknown): Usage | undefined {
  return provider?.usageOf?.(answer);
}

/** Later events of a stream repeat some of the fields, as null where they have nothing to add. */
export const given = (usage: Fields): Fields =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
