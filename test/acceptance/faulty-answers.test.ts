import type { ConfigSources } from '../../src/index.js';
import { POISON, startEmulator, type Act } from '../emulator/index.js';
import { filling, pressed } from './summarizer.js';

const ACTS = [
  'good',
  'slow',
  'never',
  'stall',
  'rate-limit',
  'server-error',
  'overloaded',
  'wrong-key',
  'cut',
  'stream-error',
  'empty',
  'refusal',
  'content-filter',
  'error-text',
  'echo',
  'oversized',
  'length',
  'think',
  'open-think',
  'tool-call',
  'not-json',
  'context-length',
] as const satisfies readonly Act[];
const PROVIDERS = ['openai-compatible', 'openai', 'anthropic'] as const;
const SEED = Number(process.env['SPILLWAY_TEST_SEED'] ?? 20_261_122);
/** So many that every act occurs several times. */
const ENOUGH = 150;
const ANSWERS = Number(process.env['SPILLWAY_TEST_ANSWERS'] ?? ENOUGH);

it(`AC-06: ${ANSWERS} random answers (seed ${SEED}) stall no run, leave no error text, and are all recorded`, async () => {
  let state = SEED;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  let answered = 0;
  const met = new Set<Act>();
  for (let round = 1; answered < ANSWERS; round++) {
    const emulator = await startEmulator();
    emulator.slowMs = 5;
    const settings: ConfigSources['settings'] = {
      roster: random(2) === 0 ? ['auto'] : ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'],
      fill: {
        deadlineMs: 60,
        concurrency: 1 + random(4),
        chunks: 1 + random(3),
        oversized: random(2) === 0 ? 'cut' : 'retry',
        toolResultChars: random(2) === 0 ? 200 : 2_000,
      },
      // Almost never open, because this test is about the answers.
      thresholds: { circuitBreakerFailures: 50, circuitBreakerCooldown: 1 },
      summarizerModel: {
        provider: PROVIDERS[random(PROVIDERS.length)]!,
        model: 'emulated',
        baseUrl: emulator.url,
        apiKeyEnv: 'KEY',
        window: 1_000 + random(20_000),
      },
    };
    const session = await filling(emulator, settings, { env: { KEY: 'k' } });
    let reported = 0;
    for (let run = 1; run <= 8; run++) {
      emulator.script = Array.from({ length: 40 }, () => ACTS[random(ACTS.length)]!);
      const started = performance.now();
      const { kind, calls = [] } = await pressed(session, run);
      expect(performance.now() - started).toBeLessThan(30_000);
      expect(['committed', 'noop', 'below-gate']).toContain(kind);
      reported += calls.length;
      expect(session.reading.pressure).toBeLessThanOrEqual(1);
    }
    expect(JSON.stringify([session.operator.history, session.view])).not.toContain(POISON);
    expect(session.operator.costs.compactor.calls).toBe(reported);
    // A call that was stopped before its request was sent is recorded, but never arrived.
    expect(reported).toBeGreaterThanOrEqual(emulator.received.length);
    answered += reported;
    for (const { act } of emulator.received) met.add(act);
    emulator.close();
  }
  expect(ACTS.filter((act) => !met.has(act))).toEqual([]);
  if (ANSWERS > ENOUGH) console.log(`${answered} answers of ${met.size} kinds`);
}, 1_800_000);
