import { expect, it } from '@jest/globals';
import { fuzzOne, type Found } from './one.js';

// `npm run fuzz` goes on from here for as long as it is given.
it('a few thousand generated requests are legal in every format', async () => {
  const found: Found[] = [];
  let requests = 0;
  for (let seed = 1; requests < 3_000; seed++) {
    const fuzzed = await fuzzOne(seed);
    requests += fuzzed.requests;
    found.push(...fuzzed.found);
  }
  expect(found).toEqual([]);
});
