import { WeakCache } from '../../../src/transcript/index.js';

it('a cache forgets an entry that is not read while many others are added, and keeps one that is', () => {
  const cache = new WeakCache<object, number>(10);
  const keys = Array.from({ length: 40 }, (_, i) => ({ i }));
  const [first] = keys;
  for (const key of keys) {
    cache.set(key, key.i);
    expect(cache.get(key)).toBe(key.i);
    expect(cache.get(first!)).toBe(0);
  }
  expect(keys.filter((key) => cache.get(key) !== undefined).length).toBeLessThanOrEqual(20);
  expect(cache.get(keys[5]!)).toBeUndefined();
  expect(cache.get(keys[39]!)).toBe(39);
});
