import { z } from 'zod';

/** Drops the two oldest exchanges that it may. */
const forget = {
  name: 'forget',
  summary: 'Forgets the oldest.',
  options: z.strictObject({ exchanges: z.int().min(1).default(2).describe('How many.') }),
  plan(view, { options }) {
    const free = view.exchanges.filter(({ protection, unseen }) => !protection && !unseen);
    const edits = free.slice(0, options.exchanges).map(({ fromId, toId }) => ({
      kind: 'supersede',
      fromId,
      toId,
      replacement: [],
      reason: 'old',
    }));
    return { edits };
  },
};

export const plugin = { stages: [forget] };
