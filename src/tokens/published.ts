import type { Usage } from './calibration.js';
import type { Limits } from './limits.js';

/** Looks up a model in the sheets of two packages that we depend on; undefined if neither has it. */
export type PublishedLimits = (name: string, provider?: string) => Limits | undefined;

interface Sheet {
  readonly context_window?: number;
  readonly max_input_tokens?: number;
  readonly max_output_tokens?: number;
}

/** Most remembered answers: a search takes 0.4 ms, and names come from outside. */
const MAX_KNOWN = 1_000;

/**
 * Loads both sheets: about 60 ms and 25 MB, so only after a model was named. OpenAI's models come from gpt-tokenizer,
 * whose three figures match (272,000 in = 400,000 - 128,000 out) and are exact, while the other sheet rounds
 * (1,000,000 for 1,047,576); all other models come from genai-prices, which has windows only. gpt-tokenizer's prices
 * are wrong and never read.
 */
export async function loadPublishedLimits(): Promise<PublishedLimits> {
  const [sheets, prices] = await Promise.all([
    import('gpt-tokenizer/models'),
    import('@pydantic/genai-prices'),
  ]);
  const openai = sheets as unknown as Readonly<Record<string, Sheet | undefined>>;

  const windowOf = (name: string, providerId?: string): number | undefined => {
    const found = prices.calcPrice({}, name, providerId === undefined ? {} : { providerId });
    return found?.model.context_window;
  };

  const find: PublishedLimits = (name, provider) => {
    const sheet = Object.hasOwn(openai, name) ? openai[name] : undefined;
    const contextWindow = sheet?.context_window ?? windowOf(name, provider) ?? windowOf(name);
    if (contextWindow === undefined && sheet?.max_output_tokens === undefined) return undefined;
    return {
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(sheet?.max_input_tokens === undefined ? {} : { inputLimit: sheet.max_input_tokens }),
      ...(sheet?.max_output_tokens === undefined ? {} : { outputLimit: sheet.max_output_tokens }),
    };
  };

  const known = new Map<string, Limits | undefined>();
  return (name, provider) => {
    const key = `${provider ?? ''}/${name}`;
    if (!known.has(key)) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(key, find(name, provider));
    }
    return known.get(key);
  };
}

/** US dollars of a call at list price; null if the sheets lack the model. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** Loads the price sheets: about 60 ms, shared with the catalogue's limits. */
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
