import { describe, expect, it, jest } from '@jest/globals';
import { judge, STAGE_RULES } from '../../../src/testkit/index.js';
import { WRONG_STAGES } from './wrong-stages.js';

// Whole contracts are run, on a machine that may be busy.
jest.setTimeout(120_000);

describe('the rules of stages', () => {
  it.each(WRONG_STAGES)('N1: %s catches a stage that %s', async (id, _, stage) => {
    const verdicts = await judge(
      { stage },
      STAGE_RULES.filter((rule) => rule.id === id),
    );
    expect(verdicts).toMatchObject([{ id, holds: false }]);
    expect(verdicts[0]!.seen).not.toBe('');
  });

  it('N1: each has a stage that it catches, and an id and an intent of its own', () => {
    expect([...new Set(WRONG_STAGES.map(([id]) => id))]).toEqual(STAGE_RULES.map(({ id }) => id));
    expect(new Set(STAGE_RULES.map(({ intent }) => intent)).size).toBe(STAGE_RULES.length);
  });
});
