// @ts-check
import { cutText, definePlugin, defineStage, isSettled, resultsOf, textOf } from 'spillway/spi';
import { z } from 'zod';

/** Every option needs a default; operators read the text of `describe`. */
const Options = z.strictObject({
  maxTokens: z
    .number()
    .int()
    .min(20)
    .default(200)
    .describe('Results with more tokens than this are cut to this many.'),
});

/** The stage; `roster` in the settings names it and the pressure at which it opens. */
export const myStage = defineStage({
  name: 'my-stage',
  summary: 'Cuts old results of tools to their beginning and end.',
  options: Options,

  /** Pure and synchronous: the same view and goal give the same edits. */
  plan(view, { reclaim, options: { maxTokens }, count }) {
    /** @type {import('spillway/spi').Edit[]} */
    const edits = [];
    let left = reclaim;
    // Oldest first, without results that are pinned, open, held or not yet sent.
    for (const result of resultsOf(view)) {
      if (left <= 0) break;
      const { source, index, original, shown, tokens, handle } = result;
      // Text that a compaction wrote does not change, because a change would lose the provider's cache for little.
      if (isSettled(result) || tokens <= maxTokens || !shown) continue;
      if (original.content.some(({ type }) => type !== 'text')) continue;
      // The text says how much is missing, and names the handle by which the agent reads it back.
      const text = cutText(textOf(shown), { maxTokens: maxTokens - FRAME, count, handle });
      edits.push({
        kind: 'replace',
        messageId: source.id,
        partIndex: index,
        content: [{ type: 'text', text }],
        reason: `cut to ${maxTokens} tokens`,
      });
      left -= tokens - count(text) - FRAME;
    }
    return { edits };
  },
});

/** The most tokens that a result takes in addition to its text. */
const FRAME = 10;

/** The plugin that `plugins: [my-stage]` in the settings loads; the `spillway` field of package.json names it. */
export const plugin = definePlugin({ stages: [myStage] });

/** For `spillway conform` and the test: options with which the stage has much to do. */
export const conform = { options: { 'my-stage': [{ maxTokens: 20 }] } };
