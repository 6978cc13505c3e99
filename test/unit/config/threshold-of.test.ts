import { z } from 'zod/v4';
import { createSpillway } from '../../../src/index.js';
import { CompactionThresholds, thresholdOf } from '../../../src/config/index.js';

const thresholds = CompactionThresholds.parse({ microThreshold: 0.85 });

describe('the gate of a stage', () => {
  it('is the value in the thresholds', () => {
    expect(thresholdOf(thresholds, 'micro')).toBe(0.85);
    expect(thresholdOf(thresholds, 'full')).toBe(0.98);
  });

  it('is undefined for a name that is no stage with a threshold', () => {
    expect(thresholdOf(thresholds, 'retainCount')).toBeUndefined();
    expect(thresholdOf(thresholds, 'toString')).toBeUndefined();
  });

  it('has to be set for a custom stage, even one called constructor', async () => {
    const stage = {
      name: 'constructor',
      summary: 'Does nothing.',
      options: z.strictObject({}),
      plan: () => ({ edits: [] }),
    };
    await expect(
      createSpillway({ settings: { roster: ['constructor'] }, stages: [stage] }),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
