import { committedCases } from './cases.js';
import { committedReplays, hashOfReplay, nameOf, readReplays } from './compacted.js';
import { differencesOf, readHashes } from './hashes.js';

it('writes the same bytes and the same notices as ever, in every format', async () => {
  const known = readHashes();
  // Every second case has each kind of history many times, in half of the time; `check:bytes` checks all.
  const cases = (await committedCases()).filter((_, at) => at % 2 === 0);
  expect(cases.length).toBeGreaterThan(250);
  // If the change is intended: `npm run check:bytes -- --write`, with the reason in the commit message.
  expect(cases.flatMap((one) => differencesOf(one, known).found)).toEqual([]);
});

it('compacts to the same requests as ever, under every profile', async () => {
  const replays = committedReplays(await committedCases());
  const found: Record<string, string> = {};
  for (const replay of replays) found[nameOf(replay)] = await hashOfReplay(replay);
  const known = readReplays();
  // If a change of compaction texts is intended: `npm run check:bytes -- --write --committed`, with the reason.
  expect(found).toEqual(Object.fromEntries(replays.map((replay) => [nameOf(replay), known[nameOf(replay)]])));
});
