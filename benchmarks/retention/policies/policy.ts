import type { ChatMessage } from '../../support/chat.js';
import type { ProbedSession } from '../probes.js';

/** The request from which a model would have written message `index`. */
export interface SentRequest {
  readonly index: number;
  readonly messages: readonly ChatMessage[];
}

export interface Replay {
  readonly session: ProbedSession;
  readonly window: number;
  /** The judged calls; a policy may prepare others too. */
  readonly judged: ReadonlySet<number>;
  /** The most tokens of the request for a call, by the reference count. */
  readonly budgetAt: (index: number) => number;
}

export interface Policy {
  readonly name: string;
  /**
   * The tokens that the policy may send: as many as Spillway at the same call, or the whole window, or (for a policy
   * that keeps no budget) a window narrowed until its mean is no more than Spillway's.
   */
  readonly allowance: 'sent' | 'window' | 'narrowed';
  replay(replay: Replay): AsyncIterable<SentRequest>;
}

/** Chooses from the whole history at every call; keeps no state between calls. */
export type Choose = (history: readonly ChatMessage[], budget: number) => readonly ChatMessage[];

export function stateless(name: string, choose: Choose, allowance: Policy['allowance'] = 'sent'): Policy {
  return {
    name,
    allowance,
    async *replay({ session, judged, budgetAt }) {
      for (const index of judged) {
        yield { index, messages: choose(session.chat.slice(0, index), budgetAt(index)) };
      }
    },
  };
}
