import type { Usage } from './calibration.js';

/** US dollars of a call at list price; null where the model is not in the sheets. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** Loads the price sheets: about 60 ms, shared with the limits that the catalogue takes from them. */
export async function loadPrices(): Promise<PriceOf> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (model, usage) => {
    const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage;
    try {
      const price = calcPrice(
        {
          input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
          cache_read_tokens: cacheReadTokens,
          cache_write_tokens: cacheWriteTokens,
          output_tokens: outputTokens,
        },
        model,
      );
      return price?.total_price ?? null;
    } catch {
      return null;
    }
  };
}
