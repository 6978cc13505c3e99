import { prefixCacheOf } from '../../../src/session/index.js';
import { loadPrices } from '../../../src/tokens/index.js';

describe('what a provider takes for a prefix it has seen', () => {
  it.each([
    ['claude-sonnet-4-5', 0.1, 1.25],
    ['gpt-5', 0.1, 1],
    ['gpt-4o', 0.5, 1],
    ['o3', 0.25, 1],
  ])('%s: as its price sheet says', async (model, read, write) => {
    expect(prefixCacheOf(model, await loadPrices())).toMatchObject({ read, write });
  });

  it('is assumed where no sheet knows the model', async () => {
    const assumed = { read: 0.5, write: 1, minTokens: 1_024 };
    expect(prefixCacheOf('of-nobody', await loadPrices())).toMatchObject(assumed);
    expect(prefixCacheOf(null)).toMatchObject(assumed);
    expect(prefixCacheOf('gpt-5')).toMatchObject(assumed);
  });
});
