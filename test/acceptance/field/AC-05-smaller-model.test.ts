import { createSpillway } from '../../../src/index.js';
import { GOOD, startEmulator } from '../../emulator/index.js';
import { emulated, filling, loaded, summariesOf } from '../summarizer.js';
import { quarter, read, system, talk, user } from '../support.js';

const MODELS = {
  large: { contextWindow: 200_000, outputLimit: 4_000 },
  small: { contextWindow: 16_000, outputLimit: 4_000 },
};

describe('AC-05: the summarizer’s window is smaller', () => {
  it.each([1_000, 2_000, 4_000])(
    'the span is sent in pieces that all fit %d tokens, and becomes one summary',
    async (window) => {
      const emulator = await startEmulator();
      // Four characters are one token, as everywhere in these tests: a longer request is refused.
      emulator.windowChars = 4 * window;
      const summarizerModel = { model: 'emulated', baseUrl: emulator.url, window };
      const session = await filling(emulator, { summarizerModel });
      loaded(session, 1);
      const { run } = await session.prepare();
      expect(run.record!.fallbacks).toEqual([]);
      expect(run.calls!.every(({ outcome }) => outcome === 'filled')).toBe(true);
      expect(run.calls!.length).toBeGreaterThan(1);
      expect(emulator.received.map(({ act }) => act)).not.toContain('context-length');
      expect(summariesOf(session)).toEqual([expect.stringContaining(GOOD)]);
    },
  );

  it('without a window of its own, the summarizer gets pieces for the window of its model, not the session’s', async () => {
    const emulator = await startEmulator();
    const spillway = await createSpillway({
      counter: quarter,
      model: 'large',
      settings: {
        ...emulated(emulator, { roster: ['auto'], models: MODELS, safetyMargin: 0 }),
        summarizerModel: { model: 'small', baseUrl: emulator.url },
      },
    });
    const session = spillway.session();
    session.append(...read([system('Be brief.'), user('Build.'), ...talk(80, 1_150)]));
    const { run } = await session.prepare();
    expect(run.record!.fallbacks).toEqual([]);
    expect(run.calls!.length).toBeGreaterThan(3);
    for (const { text } of emulator.received) expect(text.length / 4).toBeLessThan(16_000);
  });
});

it('AC-05: a summarizer is asked for no more output than its model can write', async () => {
  const emulator = await startEmulator();
  const models = { short: { contextWindow: 100_000, outputLimit: 400 } };
  const session = await filling(emulator, {
    models,
    summarizerModel: { model: 'short', baseUrl: emulator.url },
  });
  loaded(session, 1);
  await session.prepare();
  const { body, text } = emulator.received[0]!;
  expect(body['max_tokens']).toBe(400);
  expect(Number(/at most (\d+) tokens/.exec(text)![1])).toBe(360);
});

it('AC-05: a switch to a smaller model compacts before the next call, so that the request fits its window', async () => {
  const emulator = await startEmulator();
  const spillway = await createSpillway({
    counter: quarter,
    model: 'large',
    settings: { ...emulated(emulator), models: MODELS, safetyMargin: 0 },
  });
  const session = spillway.session();
  session.append(...read([system('Be brief.'), user('Build.'), ...talk(60, 300)]));
  expect((await session.prepare()).run.kind).toBe('below-gate');
  const { run, reading, messages } = await session.prepare({ model: 'small' });
  expect(run.kind).toBe('committed');
  expect(reading.budget.window).toBe(16_000);
  expect(reading.tokens).toBeLessThanOrEqual(12_000);
  expect(JSON.stringify(messages).length / 4).toBeLessThan(12_000);
  expect(summariesOf(session).join()).toContain(GOOD);
});
