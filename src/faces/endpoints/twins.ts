import { sameItem } from '../../formats/index.js';
import type { Flight, Session } from '../../session/index.js';

/** Histories of the calls that are under way or wait, by session. */
const underWay = new WeakMap<Session, Set<readonly unknown[]>>();

/**
 * Takes a call's turn in its session; in one beside it, without waiting, where a call with the very same history is not over
 * there yet: samples that a client asks for at once, or a request that it sends again before it gives the first one up.
 */
export async function inTurn<T>(
  session: Session,
  history: readonly unknown[],
  task: (place: { readonly session: Session; readonly flight: Flight }) => Promise<T>,
): Promise<T> {
  const others = underWay.get(session) ?? new Set();
  for (const other of others)
    if (sameItem(history, other)) {
      const beside = session.aside();
      return beside.turn((flight) => task({ session: beside, flight }));
    }
  // A client may go on with the very list.
  const own = [...history];
  underWay.set(session, others.add(own));
  const held: PromiseLike<unknown>[] = [];
  try {
    return await session.turn(({ until, again }) => {
      const flight: Flight = { again, until: (settled) => (held.push(settled), until(settled)) };
      return task({ session, flight });
    });
  } finally {
    void Promise.allSettled(held).then(() => others.delete(own));
  }
}
