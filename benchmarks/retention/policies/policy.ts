import type { ChatMessage } from '../../support/chat.js';
import type { ProbedSession } from '../probes.js';

/** What a model would have been sent to write message `index`. */
export interface SentRequest {
  readonly index: number;
  readonly messages: readonly ChatMessage[];
}

export interface Replay {
  readonly session: ProbedSession;
  readonly window: number;
  /** The calls that are judged; a policy may prepare others too. */
  readonly judged: ReadonlySet<number>;
  /** Most tokens of the request for a call, by the reference count. */
  readonly budgetAt: (index: number) => number;
}

export interface Policy {
  readonly name: string;
  replay(replay: Replay): AsyncIterable<SentRequest>;
}

/** Chooses from the whole history at every call; nothing is carried from call to call. */
export type Choose = (history: readonly ChatMessage[], budget: number, seed: number) => readonly ChatMessage[];

export function stateless(name: string, choose: Choose): Policy {
  return {
    name,
    async *replay({ session, judged, budgetAt }) {
      for (const index of judged) {
        yield { index, messages: choose(session.chat.slice(0, index), budgetAt(index), index) };
      }
    },
  };
}
