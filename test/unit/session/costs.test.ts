import { CostBook } from '../../../src/session/costs.js';
import type { ModelCall } from '../../../src/transcript/index.js';

const usage = { inputTokens: 100, cacheReadTokens: 10, cacheWriteTokens: 5, outputTokens: 20 };
const call = (more: Partial<ModelCall>): ModelCall => ({
  summarizer: 's',
  endpoint: 'here',
  prompt: 'auto',
  handle: 'm1..m2',
  chunk: 1,
  attempt: 1,
  outcome: 'filled',
  cost: 0.5,
  durationMs: 1,
  ...more,
});

describe('the cost book', () => {
  it('keeps the agent and its compactor apart, and counts calls without a price', () => {
    const book = new CostBook((model) => (model === 'known' ? 2 : null));
    book.addPrimary({ inputTokens: 7 }, 'known');
    book.addCall(call({ usage }));
    book.addCall(call({ outcome: 'failed', cost: null }));
    expect(book.totals.primary).toMatchObject({ calls: 1, inputTokens: 7, cost: 2, unpriced: 0 });
    expect(book.totals.compactor).toEqual({ calls: 2, ...usage, cost: 0.5, unpriced: 1 });
  });

  it('counts negative and non-finite reports as 0', () => {
    const book = new CostBook(() => -1);
    book.addPrimary({ inputTokens: -5, outputTokens: NaN, cacheReadTokens: Infinity }, null);
    book.addCall(call({ cost: -1 }));
    expect(book.totals).toMatchObject({
      primary: { calls: 1, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0, unpriced: 1 },
      compactor: { cost: 0 },
    });
  });

  it('says when a cap is reached', () => {
    const book = new CostBook(() => null);
    const caps = { maxCost: 1, maxTokens: null };
    expect(book.stopReason(caps)).toBeUndefined();
    book.addCall(call({ cost: 1 }));
    expect(book.stopReason(caps)).toContain('1 dollars');
    expect(book.stopReason({ maxCost: null, maxTokens: null })).toBeUndefined();
    expect(book.stopReason({ maxCost: null, maxTokens: 0 })).toContain('0 tokens');
  });
});
