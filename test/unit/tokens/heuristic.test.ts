import fc from 'fast-check';
import { heuristicCounter } from '../../../src/tokens/index.js';
import { fixture, O200K } from './fixtures/index.js';

describe('the heuristic counter', () => {
  it('says that it is no tokenizer', () => {
    expect(heuristicCounter.name).toBe('heuristic');
    expect(heuristicCounter.exact).toBe(false);
  });

  it.each(Object.entries(O200K))('is within a tenth of o200k on %s (%i tokens)', (name, tokens) => {
    const error = heuristicCounter.count(fixture(name)) / tokens - 1;
    expect(Math.abs(error)).toBeLessThan(0.1);
  });

  it.each([
    ['a common word', ' because', 1],
    ['a contraction', "don't", 1],
    ['two words in one', 'getMessage', 2],
    ['a long number', '123456789', 3],
    ['an indented line', '\n        return', 3],
    ['a rule', '-'.repeat(80), 6],
  ])('counts %s as a tokenizer would, about', (_, text, tokens) => {
    expect(Math.abs(heuristicCounter.count(text) - tokens)).toBeLessThanOrEqual(2);
  });

  it('counts any text, nothing as nothing, something as something', () => {
    expect(heuristicCounter.count('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const tokens = heuristicCounter.count(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThanOrEqual(2 * text.length);
        expect(heuristicCounter.count(text)).toBe(tokens);
      }),
    );
  });

  it('grows in proportion on runs without a break', () => {
    for (const unit of ['x', '字', '한', ' ', '=', '🎉', '─', 'é']) {
      const of = (count: number): number => heuristicCounter.count(unit.repeat(count));
      expect(of(200_000)).toBeLessThan(10.5 * of(20_000));
    }
  });

  it('counts the parts of a text as about the whole', () => {
    const text = fixture('prose.txt') + fixture('code.txt') + fixture('chinese.txt');
    fc.assert(
      fc.property(fc.nat(text.length), (at) => {
        const parts = heuristicCounter.count(text.slice(0, at)) + heuristicCounter.count(text.slice(at));
        expect(Math.abs(parts - heuristicCounter.count(text))).toBeLessThanOrEqual(4);
      }),
    );
  });
});
