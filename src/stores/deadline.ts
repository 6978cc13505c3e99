import { SpillwayError, thrownText } from '../errors/index.js';
import type { SessionStore, ThreadKey } from '../spi/index.js';

/** A deadline is counted in turns of this process: one that was busy itself does not blame its store. */
const TICKS = 10;
/** What `withDeadline` gave: each is watched once. */
const watched = new WeakSet<SessionStore>();

interface Waiting {
  /** Tick at which it was asked. */
  readonly since: number;
  readonly name: string;
  readonly reject: (fault: SpillwayError) => void;
}

/**
 * The same store, each of whose calls rejects with `STORE_FAILED` (retryable, `facts.outcome: unknown`) where it has not
 * settled after so long. Once nothing at all came back meanwhile, later calls reject at once, until the store answers again.
 * Whatever else a store throws becomes `STORE_FAILED` too, with `facts.thrown`: nobody knows what was done before it.
 */
export function withDeadline(store: SessionStore, deadlineMs: number): SessionStore {
  if (watched.has(store)) return store;
  const ask = watching(store, deadlineMs);
  // Not around the store itself: a proxy has to give the methods of a frozen object as they are.
  const proxy = new Proxy(Object.create(store) as SessionStore, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name, store);
      if (typeof own !== 'function' || typeof name !== 'string') return own;
      if (name === 'openQueue') return own.bind(store) as unknown;
      return (...given: unknown[]) => ask(name, given, () => Reflect.apply(own, store, given) as unknown);
    },
  });
  watched.add(proxy);
  return proxy;
}

/** Asks one store, and counts how long its calls wait. */
function watching(
  store: SessionStore,
  deadlineMs: number,
): (name: string, given: readonly unknown[], call: () => unknown) => unknown {
  const waiting = new Set<Waiting>();
  let tick = 0;
  /** Tick at which the store last settled anything. */
  let heard = 0;
  let ticking: NodeJS.Timeout | undefined;
  /** Runs while the store is away. */
  let probing: NodeJS.Timeout | undefined;

  const fault = (name: string): SpillwayError =>
    new SpillwayError('STORE_FAILED', {
      subject: `store ${store.name}`,
      found: `no answer to ${name}`,
      allowed: `an answer within ${deadlineMs} ms (storeMs)`,
      remedy: 'See whether its server hangs; calls go on by themselves when it answers.',
      facts: { outcome: 'unknown' },
      retryable: true,
    });
  const answered = (): void => {
    heard = tick;
    clearInterval(probing);
    probing = undefined;
  };
  const leave = (one: Waiting): void => {
    waiting.delete(one);
    if (waiting.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
  const probe = (): void => void store.value('service', 'ready').then(answered, answered);
  const count = (): void => {
    tick += 1;
    for (const one of waiting) {
      if (tick - one.since < TICKS) continue;
      leave(one);
      // Where others were answered meanwhile, this call alone is slow. Else nobody waits for the store any more: it is
      // asked beside the calls whether it is back.
      if (heard <= one.since && one.name !== 'close') probing ??= setInterval(probe, deadlineMs).unref();
      one.reject(fault(one.name));
    }
  };

  return (name, given, call) => {
    const isLast = name === 'close';
    if (isLast) answered();
    else if (probing) return Promise.reject(fault(name));
    let asked: unknown;
    try {
      asked = call();
    } catch (cause) {
      return Promise.reject(thrownBy(store, given, cause));
    }
    if (typeof (asked as PromiseLike<unknown> | undefined)?.then !== 'function') return asked;
    return new Promise((resolve, reject) => {
      const one = { since: tick, name, reject };
      waiting.add(one);
      ticking ??= setInterval(count, deadlineMs / TICKS);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          answered();
          leave(one);
          settle(value);
        };
      const failed = (cause: unknown): void => reject(thrownBy(store, given, cause));
      (asked as PromiseLike<unknown>).then(settled(resolve), settled(failed));
    });
  };
}

/** What a store threw, at once or later, with a code; of a thread, with its name. */
function thrownBy({ name }: SessionStore, [of]: readonly unknown[], cause: unknown): SpillwayError {
  if (cause instanceof SpillwayError) return cause;
  const { sessionId, agentPath } = (of ?? {}) as Partial<ThreadKey>;
  const thread = sessionId === undefined ? '' : `, session "${sessionId}", agent "${agentPath}"`;
  return new SpillwayError('STORE_FAILED', {
    subject: `store ${name}${thread}`,
    found: thrownText(cause),
    remedy: 'Nothing is lost in memory: the next call tries again.',
    facts: { thrown: true },
    retryable: true,
    cause,
  });
}
