import { committedCases } from './cases.js';
import { committedReplays, hashOfReplay, nameOf, readReplays } from './compacted.js';
import { differencesOf, readHashes } from './hashes.js';

it('writes the same bytes and the same notices as ever, in every format', async () => {
  const known = readHashes();
  // Each kind of history many times over, and in half of the time; `check:bytes` looks at all.
  const cases = (await committedCases()).filter((_, at) => at % 2 === 0);
  expect(cases.length).toBeGreaterThan(250);
  // Where that is meant: `npm run check:bytes -- --write`, and the reason into the commit's message.
  expect(cases.flatMap((one) => differencesOf(one, known).found)).toEqual([]);
});

it('compacts to the same requests as ever, under every profile', async () => {
  const replays = committedReplays(await committedCases());
  const found: Record<string, string> = {};
  for (const replay of replays) found[nameOf(replay)] = await hashOfReplay(replay);
  const known = readReplays();
  // Where what a compaction says is meant to change: `npm run check:bytes -- --write --committed`, and the reason.
  expect(found).toEqual(Object.fromEntries(replays.map((replay) => [nameOf(replay), known[nameOf(replay)]])));
});
