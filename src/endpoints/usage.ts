import type { Usage } from '../tokens/index.js';
import { isFields } from '../wire/index.js';

/** The first of these fields that is a positive number. */
export function firstCount(fields: unknown, ...names: readonly string[]): number | undefined {
  return names.map((name) => countIn(fields, name)).find((count) => count > 0);
}

/** A count by its field; 0 where the provider says nothing. */
export function countIn(fields: unknown, name: string): number {
  const value = isFields(fields) ? fields[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Usage where the input is given as one figure, cache included. */
export function usageOf(input: number, cached: number, written: number, output: number): Usage {
  return {
    inputTokens: Math.max(0, input - cached - written),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
  };
}
