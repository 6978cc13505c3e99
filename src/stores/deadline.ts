import { SpillwayError } from '../errors/index.js';
import type { SessionStore } from '../spi/index.js';

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
 */
export function withDeadline(store: SessionStore, deadlineMs: number): SessionStore {
  if (watched.has(store)) return store;
  const watch = new Watch(store, deadlineMs);
  // Not around the store itself: a proxy has to give the methods of a frozen object as they are.
  const proxy = new Proxy(Object.create(store) as SessionStore, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name, store);
      if (typeof own !== 'function' || typeof name !== 'string') return own;
      if (name === 'openQueue') return own.bind(store) as unknown;
      return (...given: unknown[]) => watch.ask(name, () => Reflect.apply(own, store, given) as unknown);
    },
  });
  watched.add(proxy);
  return proxy;
}

/** Counts how long calls of one store wait. */
class Watch {
  readonly #store: SessionStore;
  readonly #deadlineMs: number;
  readonly #waiting = new Set<Waiting>();
  #tick = 0;
  /** Tick at which the store last settled anything. */
  #heard = 0;
  #ticking: NodeJS.Timeout | undefined;
  /** Runs while the store is away. */
  #probing: NodeJS.Timeout | undefined;

  constructor(store: SessionStore, deadlineMs: number) {
    this.#store = store;
    this.#deadlineMs = deadlineMs;
  }

  ask(name: string, call: () => unknown): unknown {
    const isLast = name === 'close';
    if (isLast) this.#answered();
    else if (this.#probing) return Promise.reject(this.#fault(name));
    const asked = call();
    if (typeof (asked as PromiseLike<unknown> | undefined)?.then !== 'function') return asked;
    return new Promise((resolve, reject) => {
      const one = { since: this.#tick, name, reject };
      this.#waiting.add(one);
      this.#ticking ??= setInterval(() => this.#count(), this.#deadlineMs / TICKS);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          this.#answered();
          this.#leave(one);
          settle(value);
        };
      (asked as PromiseLike<unknown>).then(settled(resolve), settled(reject));
    });
  }

  #count(): void {
    this.#tick += 1;
    for (const one of this.#waiting) {
      if (this.#tick - one.since < TICKS) continue;
      this.#leave(one);
      // Where others were answered meanwhile, this call alone is slow.
      if (this.#heard <= one.since && one.name !== 'close') this.#away();
      one.reject(this.#fault(one.name));
    }
  }

  #leave(one: Waiting): void {
    this.#waiting.delete(one);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  /** Nobody waits for it any more: it is asked beside the calls whether it is back. */
  #away(): void {
    this.#probing ??= setInterval(() => this.#probe(), this.#deadlineMs).unref();
  }

  #probe(): void {
    const answered = (): void => this.#answered();
    this.#store.value('service', 'ready').then(answered, answered);
  }

  #answered(): void {
    this.#heard = this.#tick;
    clearInterval(this.#probing);
    this.#probing = undefined;
  }

  #fault(name: string): SpillwayError {
    return new SpillwayError('STORE_FAILED', {
      subject: `store ${this.#store.name}`,
      found: `no answer to ${name}`,
      allowed: `an answer within ${this.#deadlineMs} ms (storeMs)`,
      remedy: 'See whether its server hangs; calls go on by themselves when it answers.',
      facts: { outcome: 'unknown' },
      retryable: true,
    });
  }
}
