// @ts-check
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin } from 'spillway/spi';
import { z } from 'zod';
import { compacted } from './compactor.js';
import { factsIn, noteOf } from './facts.js';
import { FactStore } from './store.js';

const Knobs = z.strictObject({
  file: z
    .string()
    .min(1)
    .default('./memory.jsonl')
    .meta({ title: 'File' })
    .describe('Where facts are kept, a JSON object a line; taken from where the process runs.'),
  maxTokens: z
    .int()
    .min(0)
    .max(4_000)
    .multipleOf(50)
    .default(300)
    .meta({ title: 'Most carried' })
    .describe('Tokens of facts that stand beside a summary; 0: none.'),
  keepMark: z
    .string()
    .default('#keep')
    .meta({ title: 'Mark' })
    .describe('A message of the user with this in it stays through the next compaction. Empty: none does.'),
  keepNewest: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .meta({ title: 'Newest kept' })
    .describe('As a compactor: newest messages that stay.'),
});

/** The greatest share of a budget that the plugin asks for: an engine allows a plugin 0.08. */
const MOST_OF_BUDGET = 0.06;
/** The same for retained messages: an engine refuses more than the share of pins (0.4), and then retains none. */
const MOST_HELD = 0.25;

/** Each engine makes its own plugin. */
export function plugin() {
  /** @type {Map<string, FactStore>} By file, because two agents may have different knobs. */
  const stores = new Map();
  const storeAt = (/** @type {string} */ file) => {
    const store = stores.get(file) ?? new FactStore(file);
    stores.set(file, store);
    return store;
  };
  return definePlugin({
    summary: 'Keeps facts beyond a compaction and a session, and says them again beside the summary.',
    knobs: Knobs,
    observer: {
      async preCompact(event, { knobs, log }) {
        const { sessionId, messages, budget, dryRun } = event;
        const store = storeAt(knobs.file);
        // A dry run stores nothing.
        if (!dryRun) {
          const kept = await store.add(factsIn(messages, { session: sessionId, at: Date.now() }));
          if (kept > 0) log.info(`${kept} facts kept in ${knobs.file}`);
        }
        const users = messages.filter(({ role }) => role === 'user');
        const marked = users.filter(
          ({ parts }) => knobs.keepMark !== '' && saidIn(parts).includes(knobs.keepMark),
        );
        const tokens = Math.min(knobs.maxTokens, Math.floor(MOST_OF_BUDGET * budget));
        const facts = await store.near(
          users
            .slice(-2)
            .map(({ parts }) => saidIn(parts))
            .join('\n'),
        );
        return { retain: newest(marked, MOST_HELD * budget), inject: noteOf(facts, tokens) };
      },
    },
    compactor: {
      compact: (event, { knobs }) => compacted(event, knobs),
    },
  });
}

/**
 * Ids of the newest messages that together take no more than the given tokens.
 *
 * @param {readonly import('spillway/spi').SeenMessage[]} messages
 * @param {number} tokens
 */
function newest(messages, tokens) {
  let left = tokens;
  const fitting = messages.toReversed().filter((message) => {
    if (message.tokens > left) return false;
    left -= message.tokens;
    return true;
  });
  return fitting.map(({ id }) => id).toReversed();
}

/** For `spillway conform`: a file that the plugin may write to, and a mark that the kit's sessions have. */
export const conform = {
  knobs: { memory: [{ file: join(tmpdir(), 'spillway-conform-memory.jsonl'), keepMark: 'lamp' }] },
};

/** @param {import('spillway/spi').SeenMessage['parts']} parts */
function saidIn(parts) {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
