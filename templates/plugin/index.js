// @ts-check
import { definePlugin } from 'spillway/spi';
import { z } from 'zod';

/** Knobs for operators, under `knobs.my-plugin` in the settings and on the page. Each knob needs a default. */
const Knobs = z.strictObject({
  note: z
    .string()
    .default('')
    .meta({ title: 'Note' })
    .describe('Text next to every summary, word for word. Empty: no text.'),
  hold: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .meta({ title: 'Held' })
    .describe('Newest messages of the user that a compaction must leave as they are.'),
});

/** The greatest share of a budget that is held: an engine refuses more than the share of pins (0.4). */
const MOST_HELD = 0.3;

/** The `spillway` field of package.json must name the same exports. */
export const plugin = definePlugin({
  summary: 'Repeats a note after each compaction, and counts compactions.',
  knobs: Knobs,
  observer: {
    /** Runs before the plan. If it throws, operators see the error and the compaction continues without it. */
    preCompact({ messages, budget }, { knobs }) {
      const users = messages.filter(({ role, fixed }) => role === 'user' && fixed === undefined);
      const held = knobs.hold === 0 ? [] : users.slice(-knobs.hold);
      const tokens = held.reduce((sum, message) => sum + message.tokens, 0);
      return { retain: tokens > MOST_HELD * budget ? [] : held.map(({ id }) => id), inject: knobs.note };
    },

    /** Runs after each run, even a failed one. Values outlive the process if a store keeps the sessions. */
    async postCompact({ success, tokensBefore, tokensAfter }, { values, log }) {
      if (!success) return;
      const before = Number((await values.get('compactions')) ?? 0);
      await values.set('compactions', before + 1);
      log.info(`${tokensBefore - tokensAfter} tokens freed by compaction ${before + 1}`);
    },
  },
});

/** For `spillway conform` and the test: knobs with which the plugin has much to do. */
export const conform = { knobs: { 'my-plugin': [{ note: 'The mill stands.', hold: 2 }] } };
