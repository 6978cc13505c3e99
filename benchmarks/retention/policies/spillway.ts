import { createSpillway, replaySession, type SpillwayOptions } from '../../../src/index.js';
import type { ChatMessage } from '../../support/chat.js';
import type { Policy } from './policy.js';

/** The engine without a key: what a user gets who sets nothing but the window. */
export function spillway(profile?: string): Policy {
  return engine('spillway', { ...(profile !== undefined && { profile }) });
}

/** The same engine with no stage at all: what is over goes, oldest first. */
export const dropOnly = engine('drop-only', { settings: { roster: [] } });

function engine(name: string, options: SpillwayOptions): Policy {
  return {
    name,
    async *replay({ session, window }) {
      const live = (await createSpillway({ ...options, inputBudget: window })).session();
      for await (const { index, prepared } of replaySession(live, session.messages)) {
        if (prepared) yield { index, messages: prepared.messages as readonly ChatMessage[] };
      }
    },
  };
}
