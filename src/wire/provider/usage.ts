import type { Usage } from '../../tokens/index.js';
import { isFields, numberIn, type Fields } from '../record.js';

/** A count by its field; 0 where the provider says nothing. */
export function countIn(fields: unknown, name: string): number {
  const value = numberIn(isFields(fields) ? fields[name] : undefined);
  return value !== undefined && Number.isFinite(value) ? value : 0;
}

/** Usage where the input is given as one figure, cache included. */
export function usageFrom(input: number, cached: number, written: number, output: number): Usage {
  return {
    inputTokens: Math.max(0, input - cached - written),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
  };
}

/** What stands under a field of an answer, where that is an object. */
export function fieldsIn(answer: unknown, name: string): Fields | undefined {
  const value = isFields(answer) ? answer[name] : undefined;
  return isFields(value) ? value : undefined;
}
