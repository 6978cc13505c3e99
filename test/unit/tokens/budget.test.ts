import fc from 'fast-check';
import { deriveBudget, type ModelLimits } from '../../../src/tokens/index.js';

function limits(more: Partial<ModelLimits> = {}): ModelLimits {
  return {
    model: 'm',
    contextWindow: 200_000,
    source: 'catalogue',
    sources: { contextWindow: 'catalogue', inputLimit: 'catalogue', outputLimit: 'catalogue' },
    authoritative: true,
    tokenRatio: 1,
    ...more,
  };
}

describe('the budget', () => {
  it('is the window less the output reserve: the smaller of output limit and cap', () => {
    expect(deriveBudget({ limits: limits({ outputLimit: 8_000 }) }).tokens).toBe(192_000);
    expect(
      deriveBudget({ limits: limits({ outputLimit: 64_000 }), reserve: { output: 20_000 } }).tokens,
    ).toBe(180_000);
  });

  it('reserves the cap where no output limit is known', () => {
    expect(deriveBudget({ limits: limits() }).tokens).toBe(168_000);
    expect(deriveBudget({ limits: limits(), reserve: { output: 4_000 } }).tokens).toBe(196_000);
  });

  it('is the input limit where there is one, with nothing taken off', () => {
    const budget = deriveBudget({ limits: limits({ inputLimit: 150_000, outputLimit: 64_000 }) });
    expect(budget).toMatchObject({
      tokens: 150_000,
      usable: 150_000,
      reserve: { output: 0, injection: 0, safety: 0 },
    });
  });

  it('leaves a small model three quarters of its window by default', () => {
    expect(deriveBudget({ limits: limits({ contextWindow: 8_192, outputLimit: 8_192 }) }).tokens).toBe(6_144);
  });

  it('passes an input budget straight through', () => {
    const budget = deriveBudget({
      limits: limits({ inputLimit: 150_000 }),
      userWindow: 50_000,
      reserve: { output: 0 },
    });
    expect(budget).toMatchObject({ tokens: 50_000, window: 50_000, authoritative: true });
  });

  it("prefers the agent's own window to the provider's, unless a refusal proved less", () => {
    const reported = limits({ sources: { contextWindow: 'provider' } });
    expect(deriveBudget({ limits: reported, userWindow: 400_000, reserve: { output: 0 } }).tokens).toBe(
      400_000,
    );
    const proven = limits({ sources: { contextWindow: 'learned' } });
    expect(deriveBudget({ limits: proven, userWindow: 400_000, reserve: { output: 0 } }).tokens).toBe(
      200_000,
    );
  });

  it('is without limit where the window is, on purpose', () => {
    const unlimited = { tokens: Infinity, usable: Infinity, window: Infinity, caps: {} };
    const asked = { reserve: { injection: 500 }, safetyMargin: 0.1, caps: { toolResults: 0.3 } };
    expect(deriveBudget({ limits: limits({ contextWindow: Infinity }), ...asked })).toMatchObject(unlimited);
    expect(deriveBudget({ limits: limits(), userWindow: 0, ...asked })).toMatchObject(unlimited);
  });

  it('is the smallest over all models that read it', () => {
    const budget = deriveBudget({
      limits: [limits(), limits({ model: 'small', contextWindow: 32_000, authoritative: false })],
      userWindow: 500_000,
      reserve: { output: 2_000 },
    });
    expect(budget).toMatchObject({ tokens: 30_000, window: 32_000, authoritative: false });
    expect(budget.derivation.join('\n')).toContain('m would take more');
  });

  it('caps tool results by a share, and takes bytes and images as they are set', () => {
    const budget = deriveBudget({
      limits: limits(),
      reserve: { output: 100_000 },
      caps: { toolResults: 0.3 },
      bytes: 5_000_000,
      images: 20,
    });
    expect(budget).toMatchObject({ caps: { toolResults: 30_000 }, bytes: 5_000_000, images: 20 });
    expect(deriveBudget({ limits: limits(), bytes: 0 }).bytes).toBeUndefined();
  });

  it('lists every subtraction, so that two margins never hide behind one number', () => {
    const budget = deriveBudget({
      limits: limits({ outputLimit: 8_000 }),
      reserve: { injection: 2_000 },
      safetyMargin: 0.05,
    });
    expect(budget.derivation).toEqual([
      'm: window 200,000 tokens (catalogue)',
      '- 8,000 tokens output reserve: output limit (catalogue)',
      '- 2,000 tokens reserved for injections',
      '- 9,500 tokens safety margin (5 %)',
      '= budget 180,500 tokens',
    ]);
  });

  it('never takes off more than it lists, and never becomes nothing', () => {
    const amount = fc.nat(300_000);
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (window, output, injection, margin) => {
          const budget = deriveBudget({
            limits: limits({ contextWindow: window + 1 }),
            reserve: { output, injection },
            safetyMargin: margin,
          });
          const left =
            budget.window - budget.reserve.output - budget.reserve.injection - budget.reserve.safety;
          expect(budget.tokens).toBe(Math.max(1, left));
        },
      ),
    );
  });
});
