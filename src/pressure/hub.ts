import { Observable, Subject, Subscriber, type Observer, type Operator, type Subscription } from 'rxjs';

/** Hot events for any number of listeners. A listener's exception is reported once, in an event of its own. */
export class EventHub<Event> {
  readonly #subject = new Subject<Event>();
  readonly #safe: SafeEvents<Event>;
  #newest: Event | undefined;
  #hasFailed = false;

  /** `failed` makes the event that reports a listener's exception; `at` is the newest event before it. */
  constructor(private readonly failed: (error: unknown, at: Event) => Event) {
    this.#safe = new SafeEvents<Event>(
      (error) => this.#listenerFailed(error),
      (subscriber) => this.#subject.subscribe(subscriber),
    );
  }

  /** Late subscribers get no earlier events. */
  get events(): Observable<Event> {
    return this.#safe;
  }

  /** Whether there is a listener: events without a listener need not be made. */
  get hasListeners(): boolean {
    return this.#subject.observed;
  }

  emit(event: Event): void {
    this.#newest = event;
    this.#subject.next(event);
  }

  /** Emits after the failed event, so that all see both in order. Once, because a faulty listener fails every time. */
  #listenerFailed(error: unknown): void {
    const at = this.#newest;
    if (this.#hasFailed || at === undefined) return;
    this.#hasFailed = true;
    queueMicrotask(() => this.emit(this.failed(error, at)));
  }
}

type Next<Event> = (event: Event) => unknown;

/**
 * Events that a listener cannot disturb: an exception or rejection of a listener, in an operator or at the end of a
 * pipe, is reported and stops there. rxjs alone would throw it on a timer, which ends the process.
 */
class SafeEvents<Event> extends Observable<Event> {
  readonly #report: (error: unknown) => void;

  constructor(
    report: (error: unknown) => void,
    subscribe?: (subscriber: Subscriber<Event>) => Subscription | void,
  ) {
    super(subscribe);
    this.#report = report;
  }

  /** rxjs applies operators through this method: the output of a pipe is protected in the same way. */
  override lift<Result>(operator?: Operator<Event, Result>): Observable<Result> {
    const lifted = new SafeEvents<Result>(this.#report);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  override subscribe(observer?: Partial<Observer<Event>> | Next<Event> | null): Subscription;
  override subscribe(
    next?: Next<Event> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription;
  override subscribe(
    observer?: Partial<Observer<Event>> | Next<Event> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // An operator of rxjs: it passes errors on to the end of the pipe.
    if (observer instanceof Subscriber) return super.subscribe(observer);
    const told = typeof observer === 'object' && observer !== null ? observer : undefined;
    const next = typeof observer === 'function' ? observer : told?.next?.bind(told);
    const failed = error ?? told?.error?.bind(told) ?? this.#report;
    const ended = complete ?? told?.complete?.bind(told);
    return super.subscribe({
      next: (event) => this.#safely(() => next?.(event)),
      error: (thrown: unknown) => this.#safely(() => failed(thrown)),
      complete: () => this.#safely(() => ended?.()),
    });
  }

  #safely(tell: () => unknown): void {
    try {
      const told = tell();
      if (told instanceof Promise) told.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }
}
