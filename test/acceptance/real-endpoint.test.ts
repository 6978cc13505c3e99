import { startEmulator } from '../emulator/index.js';
import { filling, pressed, summariesOf } from './summarizer.js';

/** An OpenAI-compatible endpoint: SPILLWAY_TEST_BASE_URL, SPILLWAY_TEST_MODEL, and SPILLWAY_TEST_API_KEY if it needs a key. */
const {
  SPILLWAY_TEST_BASE_URL: baseUrl,
  SPILLWAY_TEST_MODEL: model,
  SPILLWAY_TEST_API_KEY: key,
} = process.env;

it('S5: a real model fills the slot if one is configured', async () => {
  if (!baseUrl || !model) {
    console.log('skipped: no real endpoint; set SPILLWAY_TEST_BASE_URL and SPILLWAY_TEST_MODEL');
    return;
  }
  const summarizerModel = { model, baseUrl, ...(key && { apiKeyEnv: 'KEY' }) };
  const session = await filling(await startEmulator(), { summarizerModel }, key ? { env: { KEY: key } } : {});
  const { calls, record } = await pressed(session, 1);
  expect(calls!.map(({ outcome, reason }) => ({ outcome, reason }))).toEqual([
    expect.objectContaining({ outcome: 'filled' }),
  ]);
  expect(record!.fallbacks).toEqual([]);
  console.log(summariesOf(session)[0]);
});
