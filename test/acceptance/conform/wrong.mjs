import { z } from 'zod';

/** Throws results away and leaves their calls. */
export const hasty = {
  name: 'hasty',
  summary: 'Drops results.',
  options: z.object({}),
  plan: (view) => ({
    edits: view.exchanges
      .filter(({ messages, protection, unseen }) => messages.length > 1 && !protection && !unseen)
      .map(({ messages, toId }) => ({
        kind: 'supersede',
        fromId: messages.at(-1).message.id,
        toId,
        replacement: [],
        reason: 'hasty',
      })),
  }),
};
