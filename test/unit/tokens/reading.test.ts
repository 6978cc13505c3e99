import fc from 'fast-check';
import { overflowed, readPressure, type Budget } from '../../../src/tokens/index.js';

function budget(more: Partial<Budget> = {}): Budget {
  return {
    tokens: 100_000,
    caps: {},
    window: 120_000,
    usable: 100_000,
    reserve: { output: 20_000, injection: 0, safety: 0 },
    derivation: ['= budget 100,000 tokens'],
    authoritative: true,
    ...more,
  };
}

const view = { tokens: 60_000, bytes: 240_000, images: 2 };

describe('a pressure reading', () => {
  it('counts the whole request, on one scale', () => {
    const reading = readPressure({
      view: { ...view, tokens: 65_000 },
      tools: { tokens: 10_000, bytes: 20_000, images: 0 },
      budget: budget(),
      ratio: 1.2,
      calibration: { ratio: 1.1, samples: 2, generation: 4 },
      generation: 4,
    });
    expect(reading).toMatchObject({ tokens: 99_000, bytes: 260_000, binding: 'tokens', basis: 'measured' });
    expect(reading.pressure).toBeCloseTo(0.99);
    expect(reading.scale).toBeCloseTo(1.32);
    expect(reading.derivation.at(-1)).toBe('= budget 100,000 tokens');
    expect(JSON.parse(JSON.stringify(reading))).toMatchObject({
      tokens: 99_000,
      derivation: reading.derivation,
    });
  });

  it('is the fullest of tokens, bytes and images', () => {
    const small = { tokens: 230, bytes: 4_200_000, images: 9 };
    expect(readPressure({ view: small, budget: budget({ bytes: 5_000_000 }) })).toMatchObject({
      pressure: 0.84,
      byBytes: 0.84,
      binding: 'bytes',
    });
    const images = readPressure({ view: small, budget: budget({ bytes: 5_000_000, images: 10 }) });
    expect(images).toMatchObject({ pressure: 0.9, byImages: 0.9, binding: 'images' });
  });

  it('has no pressure without a limit', () => {
    expect(readPressure({ view, budget: budget({ tokens: Infinity }) })).toMatchObject({
      pressure: 0,
      basis: 'estimated',
    });
  });

  it('says so when the tool results pass their own cap, and leaves the pressure alone', () => {
    const reading = readPressure({
      view,
      toolResultTokens: 45_000,
      budget: budget({ caps: { toolResults: 30_000 } }),
    });
    expect(reading).toMatchObject({ pressure: 0.6, byToolResults: 1.5, binding: 'toolResults' });
    const within = readPressure({
      view,
      toolResultTokens: 29_000,
      budget: budget({ caps: { toolResults: 30_000 } }),
    });
    expect(within.binding).toBe('tokens');
  });

  it('never falls when anything grows', () => {
    const size = fc.record({ tokens: fc.nat(1e6), bytes: fc.nat(1e7), images: fc.nat(100) });
    fc.assert(
      fc.property(size, size, (one, more) => {
        const both = {
          tokens: one.tokens + more.tokens,
          bytes: one.bytes + more.bytes,
          images: one.images + more.images,
        };
        const limits = budget({ bytes: 1e6, images: 50 });
        const pressure = readPressure({ view: both, budget: limits }).pressure;
        expect(pressure).toBeGreaterThanOrEqual(readPressure({ view: one, budget: limits }).pressure);
      }),
    );
  });
});

it('usage is an overflow if input, cached input and output together exceed what the provider takes', () => {
  const usage = { inputTokens: 50_000, cacheReadTokens: 45_000, outputTokens: 5_000 };
  expect(overflowed(usage, budget())).toBe(false);
  expect(overflowed({ ...usage, outputTokens: 5_001 }, budget())).toBe(true);
  expect(overflowed(usage, budget({ tokens: 60_000 }))).toBe(false);
  expect(overflowed(usage, budget({ usable: Infinity, tokens: Infinity }))).toBe(false);
});
