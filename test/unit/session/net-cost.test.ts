import { prefixCacheOf } from '../../../src/session/index.js';
import { loadPrices } from '../../../src/tokens/index.js';

describe('the price of a cached prefix', () => {
  it.each([
    ['claude-sonnet-4-5', 0.1, 1.25],
    ['gpt-5', 0.1, 1],
    ['gpt-4o', 0.5, 1],
    ['o3', 0.25, 1],
  ])('of %s is that of its price sheet', async (model, read, write) => {
    expect(prefixCacheOf(model, await loadPrices())).toMatchObject({ read, write });
  });

  it('is assumed if no price sheet has the model', async () => {
    const assumed = { read: 0.5, write: 1, minTokens: 1_024 };
    expect(prefixCacheOf('of-nobody', await loadPrices())).toMatchObject(assumed);
    expect(prefixCacheOf(null)).toMatchObject(assumed);
    expect(prefixCacheOf('gpt-5')).toMatchObject(assumed);
  });
});
