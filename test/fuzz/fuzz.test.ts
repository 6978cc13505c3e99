import { fuzzNative } from './native.js';
import { fuzzOne, type Found } from './one.js';

// `npm run fuzz` continues from these seeds for a given time, also with `-- --native`.
it.each([
  ['a few thousand generated requests are legal in every format', fuzzOne, 3_000],
  [
    'requests as clients write them stay as they are, or legal where something is compacted',
    fuzzNative,
    1_500,
  ],
] as const)('%s', async (_what, fuzz, least) => {
  const found: Found[] = [];
  let requests = 0;
  for (let seed = 1; requests < least; seed++) {
    const fuzzed = await fuzz(seed);
    requests += fuzzed.requests;
    found.push(...fuzzed.found);
  }
  expect(found).toEqual([]);
});
