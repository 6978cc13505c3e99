import { BUILT_IN_STAGES } from '../../src/stages/index.js';
import { STAGE_RULES, type StageSubject } from '../../src/testkit/index.js';

/** Options that make a stage go further than its defaults do. */
const OPTIONS: Readonly<Record<string, readonly object[]>> = {
  snip: [
    { protectTokens: 0 },
    { protectTokens: 0, mode: 'remove', retention: { default: { count: 1 } } },
    {
      protectTokens: 0,
      mode: 'remove',
      dialogue: { turns: 1 },
      arguments: { minTokens: 20, protectShare: 0 },
    },
    { protectTokens: 0, notice: '[gone]', protectTurns: 1, minimumSavings: 50 },
  ],
  micro: [{ protectTokens: 0, minTokens: 10, maxTokens: 40 }],
  auto: [{ windowMessages: 1, preserveRecent: 0, maxSummaryTokens: 60 }],
  partial: [{ retainCount: 0, maxSummaryTokens: 60 }],
  full: [{ maxSummaryTokens: 60 }],
};

describe.each(BUILT_IN_STAGES.map((stage) => ({ name: stage.name, stage })))(
  'the stage $name',
  ({ name, stage }) => {
    const subject: StageSubject = { stage, options: OPTIONS[name] ?? [] };
    it.each(STAGE_RULES)('$id: $intent', async ({ check }) => {
      await check(subject);
      expect(name).toBe(stage.name);
    });
  },
);
