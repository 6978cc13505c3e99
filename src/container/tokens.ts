import { ContainerModule } from 'inversify';
import type { EffectiveConfig } from '../config/index.js';
import type { TokenCounter } from '../spi/index.js';
import {
  createCatalogue,
  createExactCounter,
  heuristicCounter,
  loadPrices,
  type Catalogue,
  type LimitOverride,
  type PriceOf,
} from '../tokens/index.js';
import type { EnginePlugins } from './config.js';
import { OWN, SERVICES } from './services.js';

/** Binds the counter, limits and prices according to the settings. */
export const tokensWing = new ContainerModule(({ bind }) => {
  bind(OWN.Sheets).toResolvedValue(lazyPrices);
  bind(SERVICES.PriceOf).toService(OWN.Sheets);
  // The published sheets take 60 ms to load, so they are loaded when a model is used.
  bind(SERVICES.Catalogue).toResolvedValue(
    ({ settings }: EffectiveConfig, { load }: LazyPrices) =>
      createCatalogue(settings.models as Record<string, LimitOverride>, async () => load?.()),
    [SERVICES.Config, OWN.Sheets],
  );
  bind(SERVICES.TokenCounter).toResolvedValue(counterFor, [SERVICES.Config, SERVICES.Catalogue, OWN.Plugins]);
});

/** Prices whose sheets are loaded on demand; until then no price is known. */
export type LazyPrices = PriceOf & { readonly load?: () => Promise<unknown> };

function lazyPrices(): LazyPrices {
  let known: PriceOf | undefined;
  const priceOf: PriceOf = (model, usage) => known?.(model, usage) ?? null;
  return Object.assign(priceOf, { load: async () => (known ??= await loadPrices()) });
}

async function counterFor(
  { settings }: EffectiveConfig,
  catalogue: Catalogue,
  plugins: EnginePlugins,
): Promise<TokenCounter> {
  const { counter, model } = settings;
  const ofPlugins = plugins.loaded.flatMap(({ counters = [] }) => counters);
  const brought = ofPlugins.find(({ name }) => name === counter);
  if (brought) return brought;
  if (counter === 'heuristic') return heuristicCounter;
  if (counter === 'o200k_base' || counter === 'cl100k_base') return createExactCounter(counter);
  if (model === null) return createExactCounter('o200k_base');
  // A model without a public tokenizer is counted with the nearest one, and its ratio corrects the count.
  await catalogue.load?.();
  return createExactCounter(catalogue.lookup(model).exactTokenizer ?? 'o200k_base');
}
