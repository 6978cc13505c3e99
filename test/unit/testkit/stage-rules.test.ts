import { z } from 'zod';
import { judge, STAGE_RULES } from '../../../src/testkit/index.js';
import { resultsOf } from '../../../src/spi/index.js';
import type { CompactionStage, Edit, StageGoal, TranscriptView } from '../../../src/spi/index.js';
import { WRONG_STAGES } from './wrong-stages.js';

const wrong = (
  edits: (view: TranscriptView, goal: StageGoal) => readonly Edit[],
  more: object = {},
): CompactionStage<any> => ({
  name: 'wrong',
  summary: 'Does one thing wrong.',
  options: z.object({}),
  plan: (view, goal) => ({ edits: edits(view, goal) }),
  ...more,
});

const swollen = (view: TranscriptView): Edit[] =>
  resultsOf(view).map(({ source, index }) => ({
    kind: 'replace',
    messageId: source.id,
    partIndex: index,
    content: [{ type: 'text', text: 'x'.repeat(100_000) }],
    reason: 'wrong',
  }));

describe('the rules of stages', () => {
  it.each(WRONG_STAGES)('N1: %s catches a stage that %s', async (id, _, stage) => {
    const verdicts = await judge(
      { stage },
      STAGE_RULES.filter((rule) => rule.id === id),
    );
    expect(verdicts).toMatchObject([{ id, holds: false }]);
    expect(verdicts[0]!.seen).not.toBe('');
  });

  it.each<[string, string, CompactionStage<any>]>([
    ['STAGE-02', 'throws where nothing was said yet', wrong(({ exchanges }) => (exchanges[0]!.from, []))],
    [
      'STAGE-02',
      'throws when it is asked to take more',
      wrong(() => [], {
        harder: () => {
          throw new Error('no more');
        },
      }),
    ],
    ['STAGE-02', 'never comes to an end of taking more', wrong(() => [], { harder: (o: object) => o })],
    ['STAGE-04', 'writes to its goal', wrong((_, goal) => (((goal as any).reclaim = 0), []))],
    ['STAGE-11', 'puts a word of 100,000 characters for a result', wrong((view) => swollen(view))],
  ])('N1: %s catches a stage that %s', async (id, _, stage) => {
    const rules = STAGE_RULES.filter((rule) => rule.id === id);
    expect(await judge({ stage }, rules)).toMatchObject([{ id, holds: false, exercised: true }]);
  });

  it('N1: a stage that proposes nothing passes no rule about edits', async () => {
    const verdicts = await judge({ stage: wrong(() => []) }, STAGE_RULES);
    const passed = verdicts.filter(({ holds, exercised }) => holds && exercised).map(({ id }) => id);
    expect(passed).toEqual(['STAGE-01', 'STAGE-02', 'STAGE-03', 'STAGE-04']);
    expect(verdicts.find(({ id }) => id === 'STAGE-15')).toMatchObject({ holds: true, exercised: false });
    expect(verdicts.find(({ id }) => id === 'STAGE-11')!.seen).toContain('proposed no edit');
  });

  it('N1: each has a stage that it catches, and an id and an intent of its own', () => {
    expect([...new Set(WRONG_STAGES.map(([id]) => id))]).toEqual(STAGE_RULES.map(({ id }) => id));
    expect(new Set(STAGE_RULES.map(({ intent }) => intent)).size).toBe(STAGE_RULES.length);
  });
});
