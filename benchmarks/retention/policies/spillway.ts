import { z } from 'zod';
import { createSpillway, defineStage, replaySession, type SpillwayOptions } from '../../../src/index.js';
import type { ChatMessage } from '../../support/chat.js';
import type { Policy } from './policy.js';

/** The engine without a key, as a user gets it who sets only the window. */
export function spillway(profile?: string): Policy {
  return engine('spillway', { ...(profile !== undefined && { profile }) });
}

const nothing = defineStage({
  name: 'nothing',
  summary: 'Opens a run and proposes nothing, so that only the drop floor acts.',
  options: z.strictObject({}),
  plan: () => ({ edits: [] }),
});

const floorAlone = { roster: [{ stage: 'nothing', opensAt: 0.8 }] };

/** The same engine with all stages inactive: only the excess is removed, oldest first. */
export const dropOnly = engine('drop-only', {
  stages: [nothing],
  settings: floorAlone,
});

function engine(name: string, options: SpillwayOptions): Policy {
  return {
    name,
    allowance: 'window',
    async *replay({ session, window }) {
      const live = (await createSpillway({ ...options, inputBudget: window })).session();
      for await (const { index, prepared } of replaySession(live, session.messages)) {
        if (prepared) yield { index, messages: prepared.messages as readonly ChatMessage[] };
      }
    },
  };
}
