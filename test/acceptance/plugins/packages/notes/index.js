import { z } from 'zod';

/** Writes down what it was asked, in values of its own. */
export const plugin = () => ({
  summary: 'Notes each compaction.',
  knobs: z.strictObject({
    most: z
      .int()
      .min(1)
      .max(50)
      .multipleOf(5)
      .default(10)
      .meta({ title: 'Most' })
      .describe('Most notes kept.'),
    tone: z.enum(['plain', 'loud']).default('plain').describe('How notes are worded.'),
  }),
  observer: {
    async preCompact(event, { values, knobs, log }) {
      log.info(`asked at ${event.percent.toFixed(0)} percent`);
      await values.set('asked', { forced: event.forced, count: event.count, kept: event.kept, knobs });
    },
  },
});
