// The engine in your own program: npx tsx examples/library.ts
import { z } from 'zod';
import { createSpillway, defineStage, openaiChat } from 'spillway';

/** A stage without a container: it keeps only the text of tool results with an image. */
const wordsOnly = defineStage({
  name: 'words-only',
  summary: 'Takes attachments out of tool results.',
  options: z.strictObject({
    keepTurns: z.int().min(0).default(1).describe('Newest turns that keep theirs.'),
  }),
  plan: (view, { options }) => ({
    edits: view.exchanges
      .filter(({ turnsAgo, protection, unseen }) => turnsAgo >= options.keepTurns && !protection && !unseen)
      .flatMap(({ messages }) => messages.flatMap(({ source }) => source ?? []))
      .flatMap(({ id, parts }) =>
        parts.flatMap((part, partIndex) => {
          if (part.type !== 'tool-result' || part.content.every(({ type }) => type === 'text')) return [];
          const content = part.content.filter(({ type }) => type === 'text');
          return {
            kind: 'replace' as const,
            messageId: id,
            partIndex,
            content,
            reason: 'attachments left out',
          };
        }),
      ),
  }),
});

const spillway = await createSpillway({
  window: 32_000,
  stages: [wordsOnly],
  settings: {
    roster: [{ stage: 'words-only', opensAt: 0.7 }, 'snip', 'micro', 'collapse', 'auto', 'partial', 'full'],
  },
});
const session = spillway.session();
await session.append(...openaiChat.parse([{ role: 'user', content: 'Where does the river go?' }]).messages);

export const { messages, reading, run } = await session.prepare();
console.log(
  `${messages.length} message to send, ${reading.tokens} of ${reading.budget.tokens} tokens: ${run.reason}`,
);
