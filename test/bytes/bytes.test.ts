import { expect, it } from '@jest/globals';
import { committedCases } from './cases.js';
import { differencesOf, readHashes } from './hashes.js';

it('writes the same bytes and the same notices as ever, in every format', async () => {
  const known = readHashes();
  const cases = await committedCases();
  expect(cases.length).toBeGreaterThan(300);
  // Where that is meant: `npm run check:bytes -- --write`, and the reason into the commit's message.
  expect(cases.flatMap((one) => differencesOf(one, known).found)).toEqual([]);
});
