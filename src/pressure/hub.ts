import { Subject, type Observable } from 'rxjs';
import { SafeEvents } from './safe-events.js';

/** Hot events that anyone may listen to. A listener that throws is told of in an event of its own, once. */
export class EventHub<Event> {
  readonly #subject = new Subject<Event>();
  readonly #safe: SafeEvents<Event>;
  readonly #failed: (error: unknown, at: Event) => Event;
  #newest: Event | undefined;
  #hasFailed = false;

  /** `failed` makes the event that says a listener threw; `at` is the newest event before it. */
  constructor(failed: (error: unknown, at: Event) => Event) {
    this.#failed = failed;
    this.#safe = new SafeEvents<Event>(
      (error) => this.#listenerFailed(error),
      (subscriber) => this.#subject.subscribe(subscriber),
    );
  }

  /** Nothing is replayed to late subscribers. */
  get events(): Observable<Event> {
    return this.#safe;
  }

  /** Whether anybody listens: what nobody hears need not be made. */
  get isHeard(): boolean {
    return this.#subject.observed;
  }

  emit(event: Event): void {
    this.#newest = event;
    this.#subject.next(event);
  }

  /** Behind the event that it failed at, so that all hear both in order. Once, or a bad one would be told of for ever. */
  #listenerFailed(error: unknown): void {
    const at = this.#newest;
    if (this.#hasFailed || at === undefined) return;
    this.#hasFailed = true;
    queueMicrotask(() => this.emit(this.#failed(error, at)));
  }
}
