import {
  replaySession,
  type Message,
  type Prepared,
  type ReplayedCall,
  type Session,
} from '../../../index.js';

/** One call of a replay, as far as a comparison looks at it. */
export interface LaneCall extends Omit<ReplayedCall, 'prepared'> {
  readonly prepared?: Pick<Prepared, 'messages' | 'beside'>;
}

/** What a policy came to beside its calls. */
export interface LaneSums {
  /** Most tokens of a request. */
  readonly budget: number;
  readonly compactions: number;
  /** Calls of a model that wrote summaries, and what they cost in US dollars; `unpriced`: those without a price. */
  readonly compactor: { readonly calls: number; readonly cost: number; readonly unpriced: number };
}

/** One policy on one session: a request for each of its model calls, in order. */
export interface Lane {
  readonly name: string;
  /** Wire format of its requests. */
  readonly format: string;
  readonly calls: AsyncGenerator<LaneCall>;
  sums(): LaneSums;
}

/** A profile of Spillway's own. */
export function ownLane(name: string, format: string, session: Session, messages: readonly Message[]): Lane {
  return {
    name,
    format,
    calls: replaySession(session, messages),
    sums: () => ({
      budget: session.reading.budget.tokens,
      compactions: session.operator.history.length,
      compactor: session.operator.costs.compactor,
    }),
  };
}
