import { SpillwayError, thrownText } from '../errors/index.js';
import type { SessionStore, ThreadKey } from '../spi/index.js';

/** A deadline is counted in ticks of this process, so that a busy process does not blame its store. */
const TICKS = 10;
/** Stores from `withDeadline`, so that each is watched only once. */
const watchedStores = new WeakSet<SessionStore>();

interface Waiting {
  /** Tick at which the call began. */
  readonly since: number;
  readonly name: string;
  readonly question: string;
  readonly reject: (fault: SpillwayError) => void;
}

/**
 * The same store, but a call that has not settled after `deadlineMs` rejects with `STORE_FAILED` (retryable,
 * `facts.outcome: unknown`). If no other call settled meanwhile, later calls reject at once, until the store answers
 * again; otherwise the same question is, for as long again. Any other error becomes `STORE_FAILED` too, with
 * `facts.thrown`: what the store did before is unknown.
 */
export function withDeadline(store: SessionStore, deadlineMs: number): SessionStore {
  if (watchedStores.has(store)) return store;
  const ask = watchCalls(store, deadlineMs);
  // The proxy is not around the store itself, because a proxy must return the methods of a frozen object unchanged.
  const proxy = new Proxy(Object.create(store) as SessionStore, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name, store);
      if (typeof own !== 'function' || typeof name !== 'string') return own;
      if (name === 'openQueue') return own.bind(store) as unknown;
      return (...given: unknown[]) => ask(name, given, () => Reflect.apply(own, store, given) as unknown);
    },
  });
  watchedStores.add(proxy);
  return proxy;
}

type Ask = (name: string, given: readonly unknown[], call: () => unknown) => unknown;

/** Calls one store, and counts how long its calls wait. */
function watchCalls(store: SessionStore, deadlineMs: number): Ask {
  const waiting = new Set<Waiting>();
  /** Questions without an answer in time. One call of a session asks them again and again. */
  const late = new Set<string>();
  let tick = 0;
  /** Tick at which the store last settled anything. */
  let heardAt = 0;
  let tickTimer: NodeJS.Timeout | undefined;
  /** Runs while the store does not answer. */
  let probeTimer: NodeJS.Timeout | undefined;

  const fault = (name: string): SpillwayError =>
    new SpillwayError('STORE_FAILED', {
      subject: `store ${store.name}`,
      found: `no answer to ${name}`,
      allowed: `an answer within ${deadlineMs} ms (storeMs)`,
      remedy: 'Check whether its server hangs. Calls continue when it answers.',
      facts: { outcome: 'unknown' },
      retryable: true,
    });
  const answered = (question = ''): void => {
    late.delete(question);
    heardAt = tick;
    clearInterval(probeTimer);
    probeTimer = undefined;
  };
  const putOff = (question: string): void => {
    late.add(question);
    setTimeout(() => late.delete(question), deadlineMs).unref();
  };
  const stopWaiting = (one: Waiting): void => {
    waiting.delete(one);
    if (waiting.size > 0) return;
    clearInterval(tickTimer);
    tickTimer = undefined;
  };
  const probe = async (): Promise<void> => {
    const found: unknown = await store.value('service', 'ready').catch((error: unknown) => error);
    if (!isAway(found)) answered();
  };
  const countTick = (): void => {
    tick += 1;
    for (const one of waiting) {
      if (tick - one.since < TICKS) continue;
      stopWaiting(one);
      putOff(one.question);
      // If other calls were answered meanwhile, only this call is slow. Otherwise no further call waits for the store:
      // a probe in addition to the calls asks whether the store is back.
      if (heardAt <= one.since && one.name !== 'close')
        probeTimer ??= setInterval(() => void probe(), deadlineMs).unref();
      one.reject(fault(one.name));
    }
  };

  return (name, given, call) => {
    // A note waits for the same row as a write.
    const question = JSON.stringify([name === 'note' ? 'write' : name, given[0]]);
    if (name === 'close') answered();
    else if (probeTimer || late.has(question)) return Promise.reject(fault(name));
    let result: unknown;
    try {
      result = call();
    } catch (cause) {
      return Promise.reject(thrownBy(store, given, cause));
    }
    if (typeof (result as PromiseLike<unknown> | undefined)?.then !== 'function') return result;
    return new Promise((resolve, reject) => {
      const one = { since: tick, name, question, reject };
      waiting.add(one);
      tickTimer ??= setInterval(countTick, deadlineMs / TICKS);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          if (!isAway(value)) answered(question);
          else if (tick - one.since >= TICKS / 2) putOff(question);
          stopWaiting(one);
          settle(value);
        };
      const failed = (cause: unknown): void => reject(thrownBy(store, given, cause));
      (result as PromiseLike<unknown>).then(settled(resolve), settled(failed));
    });
  };
}

/** Whether a call failed because the store did not do it, which may be after its own deadline: that is no answer. */
const isAway = (found: unknown): boolean => found instanceof SpillwayError && found.code === 'STORE_FAILED';

/** The error of a store, thrown at once or later, with a code and the name of the thread, if any. */
function thrownBy({ name }: SessionStore, [of]: readonly unknown[], cause: unknown): SpillwayError {
  if (cause instanceof SpillwayError) return cause;
  const { sessionId, agentPath } = (of ?? {}) as Partial<ThreadKey>;
  const thread = sessionId === undefined ? '' : `, session "${sessionId}", agent "${agentPath}"`;
  return new SpillwayError('STORE_FAILED', {
    subject: `store ${name}${thread}`,
    found: thrownText(cause),
    remedy: 'Nothing is lost: the data is in memory, and the next call tries again.',
    facts: { thrown: true },
    retryable: true,
    cause,
  });
}
