// @ts-check
import { definePlugin } from 'spillway/spi';
import { z } from 'zod';

/** What operators may turn, under `knobs.my-plugin` in the settings and on the page. Everything needs a default. */
const Knobs = z.strictObject({
  note: z
    .string()
    .default('')
    .meta({ title: 'Note' })
    .describe('Stands beside every summary, in the words it has here. Empty: nothing does.'),
  hold: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .meta({ title: 'Held' })
    .describe('Newest messages of the user that a compaction must leave as they are.'),
});

/** Share of a budget that is held at most: an engine refuses what is more than the share of pins (0.4). */
const MOST_HELD = 0.3;

/** The `spillway` field of package.json says what is here: both have to agree. */
export const plugin = definePlugin({
  summary: 'Says a standing note again after each compaction, and counts them.',
  knobs: Knobs,
  observer: {
    /** Before anything is planned; what it throws is told to operators, and the compaction goes on without it. */
    preCompact({ messages, budget }, { knobs }) {
      const users = messages.filter(({ role, fixed }) => role === 'user' && fixed === undefined);
      const held = knobs.hold === 0 ? [] : users.slice(-knobs.hold);
      const tokens = held.reduce((sum, message) => sum + message.tokens, 0);
      return { retain: tokens > MOST_HELD * budget ? [] : held.map(({ id }) => id), inject: knobs.note };
    },

    /** When it has ended, also where nothing came of it. Values outlive the process where sessions are kept in a store. */
    async postCompact({ success, tokensBefore, tokensAfter }, { values, log }) {
      if (!success) return;
      const before = Number((await values.get('compactions')) ?? 0);
      await values.set('compactions', before + 1);
      log.info(`${tokensBefore - tokensAfter} tokens freed by compaction ${before + 1}`);
    },
  },
});

/** For `spillway conform` and the test: knobs under which there is much to do. */
export const conform = { knobs: { 'my-plugin': [{ note: 'The mill stands.', hold: 2 }] } };
